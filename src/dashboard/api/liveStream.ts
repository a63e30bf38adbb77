import type { StreamMessage } from '#contract/eventStream.ts'

export type LiveState = 'connecting' | 'open' | 'waiting' | 'closed'

type LiveStreamDeps = {
  /** The id of the last message received; undefined to start with new messages. */
  lastEventId(): string | undefined
  /** Opens the stream after the message with this id; throws as a call does. */
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<AsyncIterable<StreamMessage<unknown>>>
  onMessage(message: StreamMessage<unknown>): void
  onState(state: LiveState, error?: unknown): void
  /** Resolves after the time, or at once when the signal aborts. */
  wait(afterMs: number, signal: AbortSignal): Promise<void>
  /** The delay before retry number `failures`, from 1; undefined to give up. */
  delayMs(failures: number, error: unknown): number | undefined
}

/**
 * Reads a stream until the signal aborts or `delayMs` gives up. A stream that ends is reopened after the last message
 * received, so that no message is lost or repeated.
 */
export async function readLive(deps: LiveStreamDeps, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    let problem: unknown
    try {
      deps.onState('connecting')
      const messages = await deps.open(deps.lastEventId(), signal)
      deps.onState('open')
      for await (const message of messages) {
        failures = 0
        deps.onMessage(message)
      }
    } catch (error) {
      problem = error
    }
    if (signal.aborted) break
    failures++
    const afterMs = deps.delayMs(failures, problem)
    if (afterMs === undefined) {
      deps.onState('closed', problem)
      return
    }
    deps.onState('waiting', problem)
    await deps.wait(afterMs, signal)
  }
  deps.onState('closed')
}

/** Doubles from 1 s to 30 s, so that browsers do not all reconnect to a restarted server at once. */
export const backoffMs = (failures: number, random: () => number) =>
  Math.min(1_000 * 2 ** (failures - 1), 30_000) * (0.75 + random() / 4)
