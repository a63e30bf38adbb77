import { openRpcWorker } from '#kit/rpcWorker.ts'
import type { Sender, SendOptions, SendRequest, SendResult } from './send.ts'

type Call = Parameters<SendRequest>

/**
 * Sends requests from a thread of their own, so that TLS and reading responses take no time from the thread that plans
 * deliveries. Rejects where the thread has failed; the next request starts a new thread.
 */
export function openSendThread(options: Omit<SendOptions, 'resolve' | 'connect'>): Sender {
  const { ask, close } = openRpcWorker<Call, SendResult>(new URL('./send.thread.ts', import.meta.url), options)
  return Object.assign((...call: Call) => ask(call), { close })
}
