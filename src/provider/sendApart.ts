import { openApart } from '#kit/apart.ts'
import type { Answer, Sender, SendOptions, SendRequest } from './send.ts'

type Call = Parameters<SendRequest>

/**
 * Sends requests from a thread of its own: connections, encryption and the reading of answers take no time from those who
 * hand in events. Rejects where the thread has failed, which is no fault of the other side; the next request starts another.
 */
export function sendApart(options: Omit<SendOptions, 'resolve' | 'connect'>): Sender {
  const { ask, close } = openApart<Call, Answer>(new URL('./send.thread.ts', import.meta.url), options)
  return Object.assign((...call: Call) => ask(call), { close })
}
