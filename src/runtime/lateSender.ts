import type { SendOptions, SendRequest } from '#provider/engine/send.ts'

type LateSender = SendRequest & { close(): Promise<void> }

/** A sender that loads its HTTP client at the first request: 25 MB that most edges never need. */
export function openLateSender(options: () => SendOptions): LateSender {
  let opening: Promise<LateSender> | undefined
  const open = async () => (await import('#provider/engine/send.ts')).openSender(options())
  const send: SendRequest = async (...request) => {
    opening ??= open()
    return (await opening)(...request)
  }
  return Object.assign(send, { close: async () => (await opening)?.close() })
}
