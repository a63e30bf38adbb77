import type { IconNode } from 'lucide'
import { useState } from 'preact/hooks'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Replay, ReplayableStatus, ReplayWrite } from '#contract/replay.ts'
import type { ApiFilter } from '#dashboard/list/filters.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { replayWords as words } from '#dashboard/words/en/replay.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count } from '#dashboard/words/format.ts'
import { useAction } from '../data/action.ts'
import { callsOf, useHere, useMay, useRead } from '../data/here.tsx'
import { queries } from '../data/query.ts'
import { useChannelName } from '../data/tag.tsx'
import { Button, type ButtonVariant } from './button.tsx'
import { Cards } from './cards.tsx'
import { Dialog } from './dialog.tsx'
import { DialogButton } from './formDialog.tsx'
import { ProblemLine } from './view.tsx'

export const replayable: readonly ReplayableStatus[] = ['dead', 'refused', 'skipped', 'simulated', 'delivered']
const dayMs = 86_400_000
const localTime = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

export type ReplayChoice = { from: number; to: number; statuses: ReplayableStatus[] }

/** Chosen events need no range. */
const bodyOf = (
  { from, to, statuses }: ReplayChoice,
  { eventName, scriptId }: ApiFilter,
  eventIds: string[] | undefined,
): ReplayWrite => ({
  ...(eventIds ? { eventIds } : { from, to }),
  status: statuses,
  ...(eventName && { eventNames: [eventName] }),
  ...(scriptId && { scriptIds: [scriptId] }),
  ...(statuses.includes('delivered') && { force: true }),
})

export const partsOf = (counts: Partial<Record<string, number>>, wordOf: (name: never) => string) =>
  Object.entries(counts).flatMap(([name, n]) => (n ? [`${count(n)} ${wordOf(name as never)}`] : []))

/** By channel: what is sent again, and what is left out and why. */
function ByChannel({ tagId, replay }: { tagId: string; replay: Replay }) {
  const nameOf = useChannelName(tagId)
  const reasonOf = (reason: DeliveryReason) => statusWords.reason(reason)
  return (
    <div class="tableScroll">
      <Cards
        variant=""
        label={frameWords.title.channel}
        columns={[
          { name: 'channel', label: frameWords.title.channel, cell: ({ scriptId }) => <bdi>{nameOf(scriptId)}</bdi> },
          { name: 'replayed', label: words.wouldSend, isNumber: true, cell: ({ replayed }) => count(replayed) },
          {
            name: 'left',
            label: words.leftOut,
            cell: ({ left }) => <span class="soft">{partsOf(left, reasonOf).join(', ')}</span>,
          },
        ]}
        rows={replay.scripts}
        keyOf={({ scriptId }) => scriptId}
      />
    </div>
  )
}

export const isOver = ({ state }: Replay) => state === 'done' || state === 'stopped'

/** The number of replayed deliveries that have finished. */
export const doneOf = ({ scripts, replayed }: Replay) =>
  replayed -
  scripts.reduce((open, script) => {
    const now: Partial<Record<DeliveryStatus, number>> = script.now
    return open + (now.pending ?? 0) + (now.held ?? 0)
  }, 0)

/** The progress of a replay that was started, until it ends. */
function Progress({ tagId, replayId, onClose }: { tagId: string; replayId: string; onClose: () => void }) {
  const here = useHere()
  const { data, error } = useRead(['replay', tagId, replayId], (api) => api.readReplay({ tagId, replayId }), {
    everyMs: 1_500,
  })
  const now: Partial<Record<DeliveryStatus, number>> = {}
  for (const script of data?.scripts ?? [])
    for (const [status, n] of Object.entries(script.now) as [DeliveryStatus, number][])
      now[status] = (now[status] ?? 0) + n
  return (
    <>
      <ProblemLine error={error} />
      {data && (
        <>
          <p role="status">
            <b>{words.state[data.state]}</b> · {words.progress(doneOf(data), data.replayed)}
          </p>
          <progress
            max={Math.max(data.replayed, 1)}
            value={isOver(data) ? Math.max(data.replayed, 1) : doneOf(data)}
            aria-label={frameWords.sendAgain}
          />
          <p class="soft">{partsOf(now, (status: DeliveryStatus) => statusWords.status(status)).join(', ')}</p>
        </>
      )}
      <div class="row dialogActions">
        {data && !isOver(data) && (
          <Button onClick={() => void callsOf(here).stopReplay({ tagId, replayId })}>{words.stop}</Button>
        )}
        <Button variant="primary" onClick={onClose}>
          {frameWords.close}
        </Button>
      </div>
    </>
  )
}

type ChooseProps = { choice: ReplayChoice; hasRange?: boolean; onChange: (next: ReplayChoice) => void }

export function Choose({ choice, hasRange = true, onChange }: ChooseProps) {
  const time = (name: 'from' | 'to') => (
    <label class="field">
      <span>{words[name]}</span>
      <input
        type="datetime-local"
        value={localTime(choice[name])}
        onChange={({ currentTarget: { value } }) => value && onChange({ ...choice, [name]: +new Date(value) })}
      />
    </label>
  )
  const toggle = (status: ReplayableStatus) => {
    const { statuses } = choice
    onChange({
      ...choice,
      statuses: statuses.includes(status) ? statuses.filter((each) => each !== status) : [...statuses, status],
    })
  }
  return (
    <>
      {hasRange && (
        <fieldset class="fieldRow">
          <legend>{words.range}</legend>
          {time('from')}
          {time('to')}
        </fieldset>
      )}
      <fieldset>
        <legend>{words.statuses}</legend>
        <div class="checks inline">
          {replayable.map((status) => (
            <label key={status}>
              <input type="checkbox" checked={choice.statuses.includes(status)} onChange={() => toggle(status)} />
              {words.status[status]}
            </label>
          ))}
        </div>
        {choice.statuses.includes('delivered') && <p class="hint">{words.deliveredWarning}</p>}
      </fieldset>
    </>
  )
}

/** The result of a dry run. */
export function Counted({ tagId, replay }: { tagId: string; replay: Replay }) {
  return (
    <div role="status">
      <p>
        <b>{words.matched(replay.matched)}</b> ·{' '}
        {replay.replayed > 0 ? words.sentAgain(replay.replayed) : words.nothing}
      </p>
      <ByChannel tagId={tagId} replay={replay} />
      {!replay.isWhole && <p class="hint">{words.partial}</p>}
    </div>
  )
}

/** Creates a replay, as a dry run or for real, and keeps both answers. `onStart` receives the id of a real one. */
export function useCreateReplay(tagId: string, body: ReplayWrite, onStart?: (replayId: string) => void) {
  const action = useAction()
  const [counted, setCounted] = useState<Replay>()
  const [started, setStarted] = useState<string>()
  const run = async (dryRun: boolean) => {
    const replay = await action.run((api) => api.createReplay({ tagId, body: { ...body, dryRun } }))
    if (!replay) return
    if (dryRun) return setCounted(replay)
    setStarted(replay.replayId)
    onStart?.(replay.replayId!)
  }
  return { action, counted, started, run, forget: () => setCounted(undefined) }
}

type StartProps = {
  of: ReturnType<typeof useCreateReplay>
  hasStatus: boolean
  why?: string | undefined
}

/** Counts first, then starts the counted replay. */
export function StartButton({ of: { action, counted, run }, hasStatus, why }: StartProps) {
  const { isBusy } = action
  if (counted && counted.replayed > 0)
    return (
      <Button variant="primary" why={why} isBusy={isBusy} onClick={() => run(false)}>
        {words.start(counted.replayed)}
      </Button>
    )
  return (
    <Button variant="primary" why={why} isBusy={isBusy} isDisabled={!hasStatus} onClick={() => run(true)}>
      {isBusy ? words.counting : words.count}
    </Button>
  )
}

/** The deliveries of a filter, or of some events. */
type ReplayOf = { tagId: string; filter: ApiFilter; eventIds?: string[] | undefined }

/** Counts what a replay would send, shows it by channel, and starts it. */
function ReplayDialog({ tagId, filter, eventIds, onClose }: ReplayOf & { onClose: () => void }) {
  const chosen = (filter.status ?? []).filter((status): status is ReplayableStatus =>
    replayable.includes(status as ReplayableStatus),
  )
  const [choice, setChoice] = useState<ReplayChoice>({
    from: filter.from ?? Date.now() - dayMs,
    to: filter.to ?? Date.now() + 60_000,
    statuses: chosen.length > 0 ? chosen : ['dead', 'refused'],
  })
  const creating = useCreateReplay(tagId, bodyOf(choice, filter, eventIds))
  const { action, counted, started, forget } = creating
  const close = () => {
    if (started) void queries.invalidateQueries()
    onClose()
  }
  return (
    <Dialog title={frameWords.sendAgain} onClose={close}>
      {started ? (
        <Progress tagId={tagId} replayId={started} onClose={close} />
      ) : (
        <>
          <p class="soft">{words.intro}</p>
          <Choose
            choice={choice}
            hasRange={!eventIds}
            onChange={(next) => {
              setChoice(next)
              forget()
            }}
          />
          {counted && <Counted tagId={tagId} replay={counted} />}
          <ProblemLine error={action.error} />
          <div class="row dialogActions">
            <Button onClick={close}>{frameWords.cancel}</Button>
            <StartButton of={creating} hasStatus={choice.statuses.length > 0} />
          </div>
        </>
      )}
    </Dialog>
  )
}

type ReplayDialogButtonProps = ReplayOf & {
  children: string
  icon: IconNode
  /** Why the listed rows cannot be sent again. */
  whyNot?: string | undefined
  variant?: ButtonVariant
}

/** A button that opens the dialog for the deliveries of a filter. */
export function ReplayDialogButton({
  tagId,
  filter,
  eventIds,
  children,
  icon,
  whyNot,
  variant = 'plain',
}: ReplayDialogButtonProps) {
  const { why } = useMay('replay:write')
  return (
    <DialogButton
      icon={icon}
      variant={variant}
      why={why ?? whyNot}
      dialog={(close) => <ReplayDialog tagId={tagId} filter={filter} eventIds={eventIds} onClose={close} />}
    >
      {children}
    </DialogButton>
  )
}
