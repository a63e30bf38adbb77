import type { StreamMessage } from '#contract/eventStream.ts'
import { backoffMs, type LiveState, readLive } from '#dashboard/api/liveStream.ts'
import { problemOf } from '#dashboard/api/problem.ts'

type SharedLiveOptions = {
  /** Tabs with the same name share one stream. */
  name: string
  open(lastEventId: string | undefined, signal: AbortSignal): Promise<AsyncIterable<StreamMessage<unknown>>>
  onMessage(message: StreamMessage<unknown>): void
  onState(state: LiveState): void
}
type Posted = { message: StreamMessage<unknown> } | { state: LiveState }

/** A hidden tab leaves the stream after this time, and rejoins when it is shown. */
const hiddenMs = 300_000

const wait = (afterMs: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, afterMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Gives up if a retry cannot help: the person has no right, or the tag is gone. */
const delayMs = (failures: number, error: unknown) => {
  const { kind } = error === undefined ? { kind: 'failed' as const } : problemOf(error)
  return kind === 'signedOut' || kind === 'noPermission' || kind === 'gone'
    ? undefined
    : backoffMs(failures, Math.random)
}

/**
 * Reads a stream once for all tabs of this browser, because HTTP/1.1 allows six connections. The tab that holds the lock
 * reads and posts; when it closes, the next tab takes the lock and continues after the last message that it received.
 * Without Web Locks (plain http) each tab has its own stream.
 */
function join({ name, open, onMessage, onState }: SharedLiveOptions, last: { id: string | undefined }): () => void {
  const stop = new AbortController()
  const channel = new BroadcastChannel(name)
  const take = (message: StreamMessage<unknown>) => {
    if (message.id !== undefined) last.id = message.id
    onMessage(message)
  }
  channel.onmessage = ({ data }: MessageEvent<Posted>) => ('message' in data ? take(data.message) : onState(data.state))
  const lead = () =>
    readLive(
      {
        open,
        wait,
        delayMs,
        lastEventId: () => last.id,
        onMessage(message) {
          take(message)
          channel.postMessage({ message } satisfies Posted)
        },
        onState(state) {
          onState(state)
          if (!stop.signal.aborted) channel.postMessage({ state } satisfies Posted)
        },
      },
      stop.signal,
    )
  if (navigator.locks) navigator.locks.request(name, { signal: stop.signal }, lead).catch(() => undefined)
  else void lead()
  // A tab that joins while another tab reads has no state of its own yet.
  onState('open')
  return () => {
    stop.abort()
    channel.close()
  }
}

/** Follows a stream until the returned function is called. */
export function followLive(options: SharedLiveOptions): () => void {
  const last = { id: undefined as string | undefined }
  let leave: (() => void) | undefined = join(options, last)
  let timer = 0
  const change = () => {
    clearTimeout(timer)
    if (!document.hidden) leave ??= join(options, last)
    else
      timer = setTimeout(() => {
        leave?.()
        leave = undefined
        options.onState('closed')
      }, hiddenMs)
  }
  document.addEventListener('visibilitychange', change)
  return () => {
    document.removeEventListener('visibilitychange', change)
    clearTimeout(timer)
    leave?.()
  }
}
