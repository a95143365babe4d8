"""The plugin that `recollect connect opencode` writes. COMMAND is replaced by the command line as a JSON list."""

PLUGIN_TEXT = """\
// Written by `recollect connect opencode`; `recollect disconnect opencode` removes it.
import { spawn } from "node:child_process"

const command = COMMAND

/** Run recollect-hook with one event; resolve to its text, and to nothing if it fails. */
function callHook(event) {
  return new Promise((resolve) => {
    const hook = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const timer = setTimeout(() => hook.kill(), 10_000)
    const chunks = []
    hook.stdout.on("data", (chunk) => chunks.push(chunk))
    hook.stdin.on("error", () => {})
    hook.on("error", () => resolve(""))
    hook.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")).context ?? "")
      } catch {
        resolve("")
      }
    })
    hook.stdin.end(JSON.stringify(event))
  })
}

const textOf = (parts) =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\\n")

export const RecollectPlugin = async ({ client }) => ({
  "chat.message": async (input, output) => {
    const text = textOf(output.parts)
    if (!text) return
    const message = output.message
    const context = await callHook({
      event: "chat.message",
      session_id: input.sessionID,
      message_id: message.id,
      text,
    })
    if (context)
      output.parts.push({
        id: `prt_recollect${Date.now().toString(36)}`,
        sessionID: input.sessionID,
        messageID: message.id,
        type: "text",
        text: context,
        synthetic: true,
      })
  },
  event: async ({ event }) => {
    const session = event.properties?.sessionID
    if (event.type === "session.compacted") {
      await callHook({ event: event.type, session_id: session })
    } else if (event.type === "session.idle") {
      const { data: messages } = await client.session.messages({ path: { id: session } })
      const last = messages?.filter(({ info }) => info.role === "assistant").at(-1)
      if (last)
        await callHook({
          event: event.type,
          session_id: session,
          message_id: last.info.id,
          text: textOf(last.parts),
        })
    }
  },
})
"""
