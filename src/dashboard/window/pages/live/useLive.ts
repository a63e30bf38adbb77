import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeliveryRow } from '#contract/delivery.ts'
import type { StreamMessage } from '#contract/eventStream.ts'
import type { LiveRefusal } from '#contract/intake.ts'
import type { EventRow } from '#contract/journey.ts'
import type { LiveRun } from '#contract/webhookRun.ts'
import type { LiveState } from '#dashboard/api/liveStream.ts'
import { addMessages, type LiveRowMessage, noLiveRows } from '#dashboard/list/liveRows.ts'
import { callsOf, useHere } from '../../data/here.tsx'
import { followLive } from '../../data/live.ts'

/** Messages are shown in groups, so that a fast stream does not render for each one. */
const groupMs = 200
/** The window over which the rate is measured. */
const rateMs = 10_000

let refusalsWithoutId = 0
function messageOf({ event, id, data }: StreamMessage<unknown>): LiveRowMessage | undefined {
  if (event === 'event') return { kind: 'event', event: data as EventRow }
  if (event === 'delivery') return { kind: 'delivery', delivery: data as DeliveryRow }
  if (event === 'run') return { kind: 'run', run: data as LiveRun }
  // A failed webhook call also arrives as a run, with its error and line.
  if ((data as LiveRefusal).code === 'WEBHOOK_FAILED') return undefined
  return event === 'refusal'
    ? { kind: 'refusal', id: id ?? `${refusalsWithoutId++}`, refusal: data as LiveRefusal }
    : undefined
}

/** Follows a tag. While `isHeld`, new rows wait; deliveries still update the rows shown. */
export function useLive(tagId: string, isHeld: () => boolean) {
  const here = useHere()
  const [rows, setRows] = useState(noLiveRows)
  const [state, setState] = useState<LiveState>('connecting')
  const [waiting, setWaiting] = useState<LiveRowMessage[]>([])
  const [times, setTimes] = useState<number[]>([])
  const held = useRef(isHeld)
  held.current = isHeld
  useEffect(() => {
    let group: LiveRowMessage[] = []
    let timer = 0
    const flush = () => {
      timer = 0
      const messages = group
      group = []
      const added = messages.filter(({ kind }) => kind !== 'delivery')
      const since = Date.now() - rateMs
      setTimes((before) =>
        [...before, ...added.flatMap((each) => (each.kind === 'event' ? Date.now() : []))]
          .filter((at) => at > since)
          .slice(-5_000),
      )
      if (held.current()) {
        setWaiting((before) => [...before, ...messages].slice(-10_000))
        setRows((before) =>
          addMessages(
            before,
            messages.filter(({ kind }) => kind === 'delivery'),
          ),
        )
      } else setRows((before) => addMessages(before, messages))
    }
    return followLive({
      name: `aglet.live.${here.environment}.${here.teamId}.${tagId}`,
      open: async (lastEventId, signal) =>
        callsOf(here, signal, lastEventId === undefined ? {} : { 'last-event-id': lastEventId }).watchDeliveries({
          tagId,
          kinds: ['event', 'refusal', 'delivery', 'run'],
        }),
      onState: setState,
      onMessage(message) {
        const own = messageOf(message)
        if (!own) return
        group.push(own)
        if (timer === 0) timer = setTimeout(flush, groupMs)
      },
    })
  }, [here.environment, here.teamId, tagId])
  return {
    rows,
    state,
    /** New events and refusals that are held back while the list is paused or scrolled. */
    waiting: waiting.filter(({ kind }) => kind !== 'delivery').length,
    perSecond: times.length / (rateMs / 1_000),
    showWaiting() {
      setRows((before) => addMessages(before, waiting))
      setWaiting([])
    },
  }
}
