import { afterEach, expect, test } from "vitest";

import type { Reason } from "$/api/types";
import { language } from "$/i18n/language.svelte";
import { reasonLabel, reasonPhrase, reasonText } from "$/i18n/reasons";

afterEach(() => language.set("en"));

const reason = (code: Reason["code"], params: Reason["params"] = {}): Reason => ({ code, params, text: "" });

test.each([
  [
    reason("below_cosine_floor", { cosine: 0.2, floor: 0.45 }),
    "cosine 0.20 is below 0.45",
    "similaridade 0,20 abaixo do mínimo de 0,45",
  ],
  [
    reason("below_cutoff", { share: 0.25 }),
    "below 25% of the best score",
    "pontuação abaixo de 25% da melhor",
  ],
  [
    reason("over_budget", { needed: 1400, available: 12 }),
    "over budget: needs 1,400 tokens, 12 left",
    "acima do orçamento: precisa de 1.400 tokens, restavam 12",
  ],
  [
    reason("more_candidates", { count: 1 }),
    "1 more candidate ranked lower",
    "mais 1 candidato em posição inferior",
  ],
  [
    reason("more_candidates", { count: 2 }),
    "2 more candidates ranked lower",
    "mais 2 candidatos em posição inferior",
  ],
  [reason("expired", { day: "2026-03-09" }), "expired on 2026-03-09", "expirou em 09/03/2026"],
  [
    reason("no_consent", { category: "profile" }),
    "no consent for the profile",
    "sem consentimento para o perfil",
  ],
  [
    reason("contradicts", { text: "likes {tea:2} $& $1" }),
    "contradicts “likes {tea:2} $& $1”",
    "contradiz “likes {tea:2} $& $1”",
  ],
  [
    reason("job_failed", { error: "ProviderBusy", detail: "The provider is busy or unreachable." }),
    "ProviderBusy: The provider is busy or unreachable.",
    "ProviderBusy: O provedor está ocupado ou inacessível.",
  ],
])("$code is rendered in the language of the page", (value, english, portuguese) => {
  expect(reasonPhrase(value)).toBe(english);
  language.set("pt");
  expect(reasonPhrase(value)).toBe(portuguese);
});

test("a reason shown alone starts with a capital letter", () => {
  expect(reasonText(reason("greeting"))).toBe("Greeting");
});

test("a label describes a code without parameters", () => {
  expect(reasonLabel("over_limit")).toBe("Passage limit reached");
  language.set("pt");
  expect(reasonLabel("greeting")).toBe("Saudação");
});
