import { KeyRound, Rocket, ServerOff, TriangleAlert } from 'lucide'
import { useState } from 'preact/hooks'
import type { ChannelStatus } from '#contract/channel.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { minute, moment } from '#dashboard/words/format.ts'
import { callsOf, keyOf, useAddress, useHere, useMay } from '../../data/here.tsx'
import { queries } from '../../data/query.ts'
import { now, zone } from '../../data/signal.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ProblemLine } from '../../parts/view.tsx'

const dayMs = 86_400_000
const timeOf = (at: number | undefined) =>
  at === undefined ? undefined : now.value - at < dayMs ? minute(at, zone.value.value) : moment(at, zone.value.value)

/** A channel that does not work, with what mends it. */
function ChannelNotice({ tagId, channel }: { tagId: string; channel: ChannelStatus }) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const { state, name, scriptId, since, waiting } = channel
  const errors = address('channel', { tagId, scriptId })
  if (state === 'keyRejected')
    return (
      <li class="notice bad">
        <Icon of={KeyRound} />
        <span>{words.keyRejected(name, timeOf(since), waiting)}</span>
        <LinkButton isSmall href={address('editChannel', { tagId, scriptId })} why={why}>
          {words.replaceKey}
        </LinkButton>
        <LinkButton isSmall look="quiet" href={errors}>
          {words.seeErrors}
        </LinkButton>
      </li>
    )
  return (
    <li class={`notice ${state === 'vendorDown' ? 'bad' : 'wait'}`}>
      <Icon of={state === 'vendorDown' ? ServerOff : TriangleAlert} />
      <span>{state === 'vendorDown' ? words.vendorDown(name, timeOf(since)) : words.throttled(name)}</span>
      <LinkButton isSmall look="quiet" href={errors}>
        {words.seeErrors}
      </LinkButton>
    </li>
  )
}

function DraftNotice({ tagId, count }: { tagId: string; count: number }) {
  const here = useHere()
  const { why } = useMay('deploy')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const deploy = async () => {
    setBusy(true)
    setError(undefined)
    await callsOf(here).deployTag({ tagId }).catch(setError)
    await queries.invalidateQueries({ queryKey: keyOf(here, ['channels', tagId]) })
    setBusy(false)
  }
  return (
    <li class="notice wait">
      <Icon of={Rocket} />
      <span>{words.drafts(count)}</span>
      <Button isSmall onClick={deploy} why={why} isBusy={isBusy}>
        {words.deploy}
      </Button>
      <ProblemLine error={error} />
    </li>
  )
}

const broken = new Set(['keyRejected', 'vendorDown', 'throttled'])

/** What needs action, the broken channels first. */
export function Notices({ tagId, channels }: { tagId: string; channels: readonly ChannelStatus[] }) {
  const drafts = channels.filter(({ state }) => state === 'draft').length
  const failing = channels.filter(({ state }) => broken.has(state))
  if (failing.length === 0 && drafts === 0) return null
  return (
    <ul class="notices" aria-label={words.needsAction}>
      {failing.map((channel) => (
        <ChannelNotice key={channel.scriptId} tagId={tagId} channel={channel} />
      ))}
      {drafts > 0 && <DraftNotice tagId={tagId} count={drafts} />}
    </ul>
  )
}
