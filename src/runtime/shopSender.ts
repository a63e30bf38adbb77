import type { SendRequest } from '#provider/engine/send.ts'
import { openLateSender } from './lateSender.ts'
import { type ServerRuntime, senderOptions } from './sharedRuntime.ts'

/** The products of a large order have a few hundred kilobytes. */
const limits = { headersMs: 5_000, totalMs: 8_000, keptBytes: 1024 * 1024 }

/** Reads shop APIs. Opened at the first call, because most servers have no such shop, and closed with `opened`. */
export function openShopSender(
  { settings }: Pick<ServerRuntime, 'settings'>,
  opened: Pick<AsyncDisposableStack, 'defer'>,
): SendRequest {
  const sender = openLateSender(() => ({ ...senderOptions(settings, []), limits }))
  opened.defer(sender.close)
  return sender
}
