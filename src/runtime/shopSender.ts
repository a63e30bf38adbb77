import { openSender, type SendRequest } from '#provider/engine/send.ts'
import { type ServerRuntime, senderOptions } from './serverRuntime.ts'

/** The products of a large order have some hundred kilobytes. */
const limits = { headersMs: 5_000, totalMs: 8_000, keptBytes: 1024 * 1024 }

/** Reads the APIs of shops. Opened at the first call, because most servers have no such shop, and closed with `opened`. */
export function openShopSender(
  { settings }: Pick<ServerRuntime, 'settings'>,
  opened: Pick<AsyncDisposableStack, 'defer'>,
): SendRequest {
  let sender: ReturnType<typeof openSender> | undefined
  opened.defer(async () => sender?.close())
  return (...call) => {
    sender ??= openSender({ ...senderOptions(settings, []), limits })
    return sender(...call)
  }
}
