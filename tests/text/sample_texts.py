"""Prose and code to count the tokens of, written for these tests in the languages people chat in."""

from typing import Final

ENGLISH: Final = (
    """\
When we moved into the old house by the river, nobody told us that the kitchen floods every other spring. The first
year we lost two rugs and a box of photographs, and my grandmother laughed for ten minutes before she fetched a bucket.
Since then we keep everything on high shelves from March to May, and the cat has learned to sleep on top of the
fridge. I like the place in spite of the water. In the mornings you hear geese before you hear cars, and the baker
across the bridge still wraps bread in brown paper. Last autumn my brother came to stay for a week and ended up
painting the hallway a deep green that none of us would have chosen. Now every visitor asks where we bought the
colour. If you come in June, bring boots for the path and a light jacket for the evenings; we usually eat outside,
under the walnut tree, until the mosquitoes chase us in. There is a spare bed, a slow internet connection, and more
plums than two people could ever eat.
""",
    """\
Thanks for the detailed answer! I tried the second option yesterday and it mostly worked, but I'm still confused about
one thing. The budget spreadsheet you suggested separates fixed costs from variable ones, and I have no idea where to
put the physiotherapist: it's every Tuesday, so it feels fixed, yet she charges by the minute. Also, my partner gets
paid on the 15th while I get paid on the last working day, which makes the "monthly" view look terrible for the first
two weeks. Could you show me how to model that? Here's roughly what we spend: rent is $1,450, groceries are somewhere
between $480 and $620, the car costs about $210 with insurance, and we each keep $150 for ourselves. We'd like to save
enough for a three-week trip to Japan in April 2027, which I estimate at $7,300 including flights. I'm vegetarian and
he's allergic to shellfish, so eating out will probably be more expensive than the guidebooks claim. Please don't
recommend another app; we've abandoned four of them already.
""",
    """\
The committee's report on coastal erosion, published after eighteen months of hearings, concludes that piecemeal
defences have made matters worse. Concrete walls built to protect a single village tend to starve the neighbouring
beach of sediment, and engineers who testified described the resulting pattern as predictable, measurable and almost
entirely preventable. Instead, the authors propose a regional authority with the power to acquire land, relocate
infrastructure and compensate owners according to a transparent formula. Critics object that compensation rewards
those who bought property cheaply in full knowledge of the risk; supporters answer that abandoning communities without
assistance would be neither just nor politically survivable. The most original chapter concerns salt marshes. Restored
wetlands absorb wave energy, shelter juvenile fish and store considerable quantities of carbon, yet they rarely appear
in cost-benefit analyses because nobody owns the benefits. A pilot scheme along forty kilometres of shoreline is
expected to begin next year, provided that the ministry approves its funding before the summer recess.
""",
)

PORTUGUESE: Final = (
    """\
Quando nos mudamos para a casa velha perto do rio, ninguém avisou que a cozinha alaga quase toda primavera. No primeiro
ano perdemos dois tapetes e uma caixa de fotografias, e a minha avó riu durante dez minutos antes de ir buscar um balde.
Desde então guardamos tudo nas prateleiras altas, e o gato aprendeu a dormir em cima da geladeira. Mesmo com a água, eu
gosto do lugar. De manhã a gente ouve os gansos antes de ouvir os carros, e o padeiro do outro lado da ponte ainda
embrulha o pão em papel pardo. No outono passado o meu irmão veio passar uma semana conosco e acabou pintando o
corredor de um verde escuro que nenhum de nós teria escolhido. Agora todas as visitas perguntam onde compramos a tinta.
Se vocês vierem em junho, tragam botas para o caminho e um casaco leve para as noites; costumamos jantar lá fora,
debaixo da nogueira, até os mosquitos nos expulsarem. Temos uma cama sobrando, uma internet lenta e mais ameixas do que
duas pessoas conseguiriam comer na vida inteira.
""",
    """\
Oi! Muito obrigada pela resposta, ajudou bastante. Testei a segunda opção ontem à noite e quase tudo funcionou, mas
ainda fiquei com uma dúvida. A planilha que você sugeriu separa os gastos fixos dos variáveis e eu não sei onde colocar
a fisioterapeuta: é toda terça-feira, então parece fixo, só que ela cobra por minuto. Além disso, o meu marido recebe
no dia 15 e eu só no último dia útil, o que deixa a visão mensal horrível nas duas primeiras semanas. Dá para você me
mostrar como resolver isso? O que gastamos é mais ou menos assim: aluguel de R$ 2.300, mercado entre R$ 900 e R$ 1.200,
o carro sai por uns R$ 650 com o seguro, e cada um fica com R$ 400 para gastar como quiser. Queremos juntar o
suficiente para uma viagem de três semanas ao Japão em abril de 2027. Eu sou vegetariana e ele tem alergia a camarão,
então comer fora provavelmente vai sair mais caro do que os guias prometem. Por favor, não me recomende outro
aplicativo; já abandonamos quatro.
""",
    """\
O relatório da comissão sobre a erosão costeira, publicado depois de dezoito meses de audiências, conclui que as defesas
isoladas agravaram o problema. Os muros de concreto construídos para proteger uma única vila costumam privar a praia
vizinha de sedimentos, e os engenheiros ouvidos descreveram o resultado como previsível, mensurável e quase sempre
evitável. No lugar disso, os autores propõem uma autoridade regional com poder para adquirir terrenos, deslocar
infraestruturas e indenizar os proprietários segundo uma fórmula transparente. Os críticos argumentam que a indenização
premia quem comprou barato sabendo do risco; os defensores respondem que abandonar comunidades inteiras sem nenhum
apoio não seria justo nem politicamente sustentável. O capítulo mais original trata dos manguezais. As áreas
restauradas absorvem a energia das ondas, abrigam peixes jovens e armazenam quantidades consideráveis de carbono, mas
raramente aparecem nas análises de custo e benefício porque ninguém é dono dos benefícios. Um projeto piloto ao longo
de quarenta quilômetros de litoral deve começar no próximo ano, desde que o ministério aprove a verba antes do recesso.
""",
)

GERMAN: Final = (
    """\
Als wir in das alte Haus am Fluss gezogen sind, hat uns niemand erzählt, dass die Küche fast jedes Frühjahr
unter Wasser steht. Im ersten Jahr haben wir zwei Teppiche und eine Kiste mit Fotos verloren, und meine
Großmutter hat zehn Minuten lang gelacht, bevor sie einen Eimer holte. Seitdem stellen wir von März bis Mai
alles auf die oberen Regale, und die Katze schläft oben auf dem Kühlschrank. Trotz des Wassers mag ich diesen
Ort. Morgens hört man die Gänse, bevor man die Autos hört, und der Bäcker auf der anderen Seite der Brücke
wickelt das Brot immer noch in braunes Papier. Letzten Herbst kam mein Bruder für eine Woche zu Besuch und hat
am Ende den Flur gestrichen, in einem dunklen Grün, das keiner von uns ausgesucht hätte. Jetzt fragt jeder Gast,
wo wir die Farbe gekauft haben. Wenn ihr im Juni kommt, bringt bitte Stiefel für den Weg mit und eine leichte
Jacke für den Abend; meistens essen wir draußen unter dem Nussbaum, bis uns die Mücken vertreiben. Es gibt ein
freies Bett, langsames Internet und mehr Pflaumen, als zwei Menschen jemals essen können.
""",
    """\
Danke für die ausführliche Antwort! Ich habe gestern den zweiten Vorschlag ausprobiert und das meiste hat
geklappt, aber eine Sache verstehe ich immer noch nicht. Die Tabelle, die du mir empfohlen hast, trennt feste
und veränderliche Ausgaben, und ich weiß nicht, wohin mit der Krankengymnastik: Sie findet jeden Dienstag statt,
also wirkt sie fest, aber abgerechnet wird nach Minuten. Außerdem bekommt mein Mann sein Gehalt am 15. und ich
erst am letzten Werktag, deshalb sieht die Monatsübersicht in den ersten zwei Wochen furchtbar aus. Kannst du
mir zeigen, wie man das besser abbildet? Ungefähr geben wir Folgendes aus: 980 Euro Miete, zwischen 420 und 550
Euro für Lebensmittel, etwa 190 Euro für das Auto mit Versicherung, und jeder behält 120 Euro für sich. Wir
möchten genug für eine dreiwöchige Reise nach Japan im April 2027 sparen. Ich bin Vegetarierin und er verträgt
keine Krabben, also wird das Essen im Restaurant wahrscheinlich teurer, als die Reiseführer behaupten. Bitte
empfiehl mir keine weitere App, wir haben schon vier davon aufgegeben.
""",
    """\
Der Bericht der Kommission über den Rückgang der Küste, der nach anderthalb Jahren mit vielen Anhörungen
erschienen ist, kommt zu dem Schluss, dass einzelne Schutzbauten die Lage verschlechtert haben. Mauern aus
Beton, die ein einziges Dorf schützen sollen, nehmen dem Strand nebenan den Sand, und die befragten Fachleute
nannten diese Folge vorhersehbar, messbar und fast immer vermeidbar. Stattdessen schlagen die Verfasser eine
regionale Behörde vor, die Grundstücke kaufen, Straßen und Leitungen verlegen und die Eigentümer nach einer
nachvollziehbaren Formel entschädigen darf. Kritiker wenden ein, dass die Entschädigung jene belohnt, die trotz
des bekannten Risikos billig gekauft haben; die Befürworter antworten, dass es weder gerecht noch politisch
durchzuhalten wäre, ganze Gemeinden ohne Hilfe aufzugeben. Das ungewöhnlichste Kapitel handelt von den
Salzwiesen. Wiederhergestellte Feuchtgebiete bremsen die Wellen, bieten jungen Fischen Schutz und speichern
erhebliche Mengen Kohlenstoff, doch in den Berechnungen der Kosten kommen sie selten vor, weil niemandem der
Nutzen gehört. Ein Versuch entlang von vierzig Kilometern Küste soll im nächsten Jahr beginnen, sofern das
Ministerium die Mittel noch vor der Sommerpause bewilligt.
""",
)

RUSSIAN: Final = (
    """\
Когда мы переехали в старый дом у реки, никто не предупредил нас, что кухню заливает почти каждую весну. В
первый год мы потеряли два ковра и коробку с фотографиями, а бабушка смеялась минут десять, прежде чем пошла за
ведром. С тех пор с марта по май мы держим всё на верхних полках, а кошка научилась спать на холодильнике.
Несмотря на воду, мне здесь нравится. По утрам сначала слышишь гусей и только потом машины, а пекарь за мостом
до сих пор заворачивает хлеб в коричневую бумагу. Прошлой осенью брат приехал к нам на неделю и в конце концов
покрасил коридор в тёмно-зелёный цвет, который никто из нас не выбрал бы. Теперь каждый гость спрашивает, где мы
купили такую краску. Если приедете в июне, возьмите сапоги для дороги и лёгкую куртку на вечер: обычно мы
ужинаем на улице под старым орехом, пока нас не прогонят комары. У нас есть свободная кровать, медленный
интернет и столько слив, сколько двум людям никогда не съесть. Соседи справа держат пчёл и летом угощают нас
мёдом, а соседи слева учат нас солить огурцы, и каждый уверен, что его способ единственно правильный.
""",
    """\
Спасибо за подробный ответ! Вчера я попробовала второй вариант, и почти всё получилось, но один вопрос остался.
Таблица, которую ты посоветовал, разделяет постоянные и переменные расходы, и я не понимаю, куда записать
массаж: он каждый вторник, то есть вроде бы постоянный, но платим мы по минутам. Кроме того, муж получает
зарплату пятнадцатого числа, а я только в последний рабочий день, поэтому первые две недели месяца выглядят
ужасно. Можешь показать, как это лучше посчитать? Примерно мы тратим так: аренда 45 000 рублей, продукты от 25
000 до 32 000, машина вместе со страховкой обходится примерно в 12 000, и у каждого остаётся по 8 000 на личные
нужды. Мы хотим накопить на трёхнедельную поездку в Японию в апреле 2027 года. Я не ем мясо, а у него аллергия
на креветки, так что еда в ресторанах наверняка выйдет дороже, чем обещают путеводители. И пожалуйста, не
советуй мне ещё одно приложение, мы уже бросили четыре. Лучше объясни простыми словами, с чего начать, и напомни
через неделю, чтобы я проверила, получается у нас или нет.
""",
    """\
Доклад комиссии о разрушении побережья, опубликованный после полутора лет слушаний, приходит к выводу, что
отдельные защитные сооружения только ухудшили положение. Бетонные стены, построенные ради одной деревни, лишают
песка соседний пляж, и опрошенные инженеры назвали этот результат предсказуемым, измеримым и почти всегда
предотвратимым. Вместо этого авторы предлагают создать региональное управление, которое сможет выкупать землю,
переносить дороги и выплачивать владельцам компенсацию по понятной формуле. Критики возражают, что компенсация
поощряет тех, кто дёшево купил участок, зная о риске; сторонники отвечают, что бросить целые посёлки без помощи
было бы несправедливо и политически невозможно. Самая необычная глава посвящена прибрежным лугам.
Восстановленные болота гасят энергию волн, дают убежище молодой рыбе и накапливают значительное количество
углерода, однако в расчётах затрат и выгод они появляются редко, потому что выгода никому не принадлежит. Опыт
на участке длиной сорок километров должен начаться в следующем году, если министерство успеет утвердить деньги
до летних каникул. Окончательное решение зависит и от того, согласятся ли местные жители переехать.
""",
)

CHINESE: Final = (
    """\
我们刚搬进河边那座老房子的时候，没有人告诉我们厨房几乎每年春天都会进水。第一年我们损失了两块地毯和一箱照片，奶奶笑了十分钟，才去拿水桶。\
从那以后，每年三月到五月我们都把东西放在高处的架子上，猫也学会了睡在冰箱顶上。虽然有水的问题，我还是喜欢这个地方。早上你会先听到鹅叫，然后才\
听到汽车的声音，桥对面的面包店到现在还用牛皮纸包面包。去年秋天我弟弟来住了一个星期，最后把走廊刷成了深绿色，那是我们谁也不会选的颜色。现在每个\
客人都问我们是在哪里买的油漆。如果你们六月来，记得带一双靴子走小路，再带一件薄外套晚上穿；我们一般在外面的核桃树下吃晚饭，一直吃到蚊子把我们\
赶进屋里。家里有一张空床，网速很慢，还有两个人怎么也吃不完的李子。右边的邻居养蜜蜂，夏天会送我们蜂蜜；左边的邻居教我们腌黄瓜，每个人都说自己的\
办法才是对的。
""",
    """\
谢谢你这么详细的回答！昨天晚上我试了第二个办法，大部分都成功了，但是有一个问题我还是不太明白。你推荐的表格把固定支出和变动支出分开，我不知道\
理疗应该放在哪里：每个星期二都去，看起来是固定的，可是按分钟收费。另外，我先生十五号发工资，我要到最后一个工作日才发，所以前两个星期的数字\
特别难看。你能告诉我应该怎么处理吗？我们的开销大概是这样的：房租四千五百块，买菜每个月两千到两千六，车子加上保险差不多一千二，每个人自己留\
八百块零花钱。我们想存够钱，2027年4月去日本玩三个星期。我吃素，他对虾过敏，所以在外面吃饭可能会比旅游书上说的贵一些。请不要再给我推荐手机\
应用了，我们已经放弃了四个。最好用简单的话告诉我应该从哪里开始，一个星期以后再提醒我检查一下有没有做到。对了，我妈妈下个月要来住几天，她睡眠\
不好，你有没有什么建议，让她在陌生的地方也能休息好？她不喜欢吃药，平时只喝一点热牛奶。
""",
    """\
委员会关于海岸侵蚀的报告经过一年半的听证之后终于发表，结论是零散的防护工程反而使情况变得更糟。为了保护一个村庄而修建的混凝土墙，往往会让旁边的\
海滩失去沙子，接受询问的工程师认为这种结果可以预见、可以测量，而且几乎总是可以避免的。作者建议成立一个地区机构，它有权收购土地、搬迁道路，并\
按照公开的标准补偿业主。批评者认为，补偿等于奖励那些明知有风险还低价买房的人；支持者则回答，不提供任何帮助就放弃整个社区，既不公平，在政治上也\
行不通。最有新意的一章讨论的是盐沼。恢复后的湿地能够吸收海浪的能量，为幼鱼提供栖息的地方，还能储存大量的碳，但是在成本和收益的分析中却很少出现，\
因为这些好处不属于任何人。如果部里能在夏天休会之前批准经费，一个覆盖四十公里海岸的试点项目将在明年开始。最后的决定还要看当地居民是否愿意搬家，\
而他们中的许多人从出生起就住在那里，对大海既害怕又依恋。
""",
)

JAPANESE: Final = (
    """\
川のそばの古い家に引っ越したとき、台所がほとんど毎年春に水浸しになるとは誰も教えてくれませんでした。最初の年は絨毯を二枚と写真の箱を一つ失い、\
祖母は十分ほど笑ってからバケツを取りに行きました。それからは三月から五月まで、何でも高い棚に置くようにしていて、猫は冷蔵庫の上で寝ることを覚え\
ました。水のことはありますが、私はこの場所が好きです。朝は車の音より先に鳥の声が聞こえますし、橋の向こうのパン屋さんは今でもパンを茶色い紙に包んで\
くれます。去年の秋、弟が一週間泊まりに来て、結局廊下を濃い緑色に塗って帰りました。私たちなら絶対に選ばない色でしたが、今ではお客さんがみんな、\
どこでその色を買ったのかと聞きます。六月に来るなら、道を歩くための長靴と、夜に着る薄い上着を持ってきてください。たいてい外の大きな木の下で、蚊に\
追い出されるまで夕食を食べます。空いているベッドが一つと、遅いインターネットと、二人では食べきれないほどの果物があります。
""",
    """\
詳しい答えをありがとうございます。昨日の夜、二つ目の方法を試してみたら、だいたいうまくいきましたが、一つだけまだ分からないことがあります。教えて\
もらった表では、毎月決まった支出とそうでない支出を分けていますが、整体の費用をどこに入れればいいのか迷っています。毎週火曜日に通っているので\
決まっているように見えますが、料金は分単位なのです。それから、夫の給料は十五日、私の給料は月末に入るので、最初の二週間はいつも赤字に見えてしまいます。\
どう計算すればいいか、例を見せてもらえませんか。家賃は八万五千円、食費は四万円から五万円くらい、車は保険も入れて一万八千円ほどで、お小遣いは一人\
一万円です。2027年の4月に三週間の旅行に行けるように貯金したいと思っています。私は肉を食べませんし、夫はエビのアレルギーがあるので、外食はガイド\
ブックに書いてあるより高くなりそうです。新しいアプリはもう勧めないでください。今までに四つも試して、全部やめてしまいました。
""",
    """\
海岸の浸食についての委員会の報告書が、一年半にわたる話し合いの後に発表されました。結論は、ばらばらに作られた堤防がかえって状況を悪くしたというもの\
です。一つの村を守るために建てられたコンクリートの壁は、隣の砂浜から砂を奪ってしまうことが多く、意見を求められた技術者たちは、この結果は予想でき、\
測ることもでき、ほとんどの場合は避けられたはずだと述べました。報告書は、土地を買い取り、道路を移し、分かりやすい基準で持ち主に補償する地域の組織を\
作ることを提案しています。反対する人は、危険を知りながら安く土地を買った人が得をすると言います。賛成する人は、何の助けもなく町を見捨てることは公平\
ではなく、政治的にも続けられないと答えます。最も新しい考えが書かれているのは、湿地についての章です。元に戻された湿地は波の力を弱め、小さな魚を守り、\
多くの炭素をためますが、その利益は誰のものでもないため、費用の計算にはほとんど出てきません。四十キロの海岸で行われる試みは、予算が認められれば来年\
始まる予定です。
""",
)

CODE: Final = (
    '''\
"""Keep a small ledger of who owes whom."""

from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True)
class Expense:
    payer: str
    amount: Decimal
    shared_by: tuple[str, ...]
    note: str = ""


@dataclass
class Ledger:
    expenses: list[Expense] = field(default_factory=list)

    def add(self, payer: str, amount: str, *shared_by: str, note: str = "") -> Expense:
        if not shared_by:
            raise ValueError(f"nobody shares the expense of {payer!r}")
        expense = Expense(payer, Decimal(amount), shared_by, note)
        self.expenses.append(expense)
        return expense

    def balances(self) -> dict[str, Decimal]:
        totals: dict[str, Decimal] = defaultdict(Decimal)
        for expense in self.expenses:
            share = expense.amount / len(expense.shared_by)
            totals[expense.payer] += expense.amount
            for person in expense.shared_by:
                totals[person] -= share
        return {name: total.quantize(Decimal("0.01")) for name, total in sorted(totals.items())}


def settle(balances: dict[str, Decimal]) -> list[tuple[str, str, Decimal]]:
    """Pair those who owe with those who are owed, the largest sums first."""
    owed = sorted(((v, k) for k, v in balances.items() if v > 0), reverse=True)
    owing = sorted((-v, k) for k, v in balances.items() if v < 0)
    payments = []
    while owed and owing:
        credit, creditor = owed.pop(0)
        debt, debtor = owing.pop()
        paid = min(credit, debt)
        payments.append((debtor, creditor, paid))
        if credit > paid:
            owed.insert(0, (credit - paid, creditor))
        if debt > paid:
            owing.append((debt - paid, debtor))
    return payments
''',
    """\
import { readFile } from "node:fs/promises";
import path from "node:path";

const DEFAULT_OPTIONS = { retries: 3, timeoutMs: 5000, verbose: false };

export class RecipeClient {
  #baseUrl;
  #options;

  constructor(baseUrl, options = {}) {
    this.#baseUrl = new URL(baseUrl);
    this.#options = { ...DEFAULT_OPTIONS, ...options };
  }

  async fetchRecipe(recipeId, { signal } = {}) {
    const url = new URL(`/api/v2/recipes/${encodeURIComponent(recipeId)}`, this.#baseUrl);
    for (let attempt = 1; attempt <= this.#options.retries; attempt++) {
      try {
        const response = await fetch(url, { headers: { Accept: "application/json" }, signal });
        if (response.status === 404) return null;
        if (!response.ok) throw new Error(`HTTP ${response.status}: ${response.statusText}`);
        return await response.json();
      } catch (error) {
        if (attempt === this.#options.retries || error.name === "AbortError") throw error;
        await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 100));
      }
    }
  }
}

export async function loadShoppingList(directory) {
  const file = path.join(directory, "shopping-list.json");
  const { items = [] } = JSON.parse(await readFile(file, "utf8"));
  const byAisle = items.reduce((groups, item) => {
    (groups[item.aisle ?? "other"] ??= []).push(item.name.trim().toLowerCase());
    return groups;
  }, {});
  return Object.entries(byAisle)
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([aisle, names]) => ({ aisle, names: [...new Set(names)].sort() }));
}
""",
    """\
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_CAPACITY 256
#define RING_MASK (RING_CAPACITY - 1)

struct ring_buffer {
    uint8_t data[RING_CAPACITY];
    size_t head;
    size_t tail;
};

static size_t ring_length(const struct ring_buffer *ring)
{
    return (ring->head - ring->tail) & RING_MASK;
}

static int ring_push(struct ring_buffer *ring, uint8_t value)
{
    size_t next = (ring->head + 1) & RING_MASK;
    if (next == ring->tail)
        return -ENOSPC;          /* full: the reader is too slow */
    ring->data[ring->head] = value;
    ring->head = next;
    return 0;
}

static int ring_pop(struct ring_buffer *ring, uint8_t *value)
{
    if (ring->head == ring->tail)
        return -EAGAIN;
    *value = ring->data[ring->tail];
    ring->tail = (ring->tail + 1) & RING_MASK;
    return 0;
}

int main(int argc, char **argv)
{
    struct ring_buffer *ring = calloc(1, sizeof(*ring));
    if (ring == NULL) {
        fprintf(stderr, "%s: out of memory\\n", argv[0]);
        return EXIT_FAILURE;
    }
    for (int i = 1; i < argc; i++) {
        for (const char *c = argv[i]; *c != '\\0'; c++) {
            if (ring_push(ring, (uint8_t)*c) != 0)
                break;
        }
    }
    printf("%zu bytes are waiting\\n", ring_length(ring));
    uint8_t byte;
    while (ring_pop(ring, &byte) == 0)
        putchar(byte);
    putchar('\\n');
    free(ring);
    return EXIT_SUCCESS;
}
""",
)

PASSAGES: Final = {
    "English": ENGLISH,
    "Portuguese": PORTUGUESE,
    "German": GERMAN,
    "Russian": RUSSIAN,
    "Chinese": CHINESE,
    "Japanese": JAPANESE,
    "code": CODE,
}
