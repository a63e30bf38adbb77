import { KeyRound, PencilLine, ServerOff, TriangleAlert } from 'lucide'
import type { ChannelStatus } from '#contract/channel.ts'
import { countNotLive } from '#dashboard/form/notLive.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { notLiveWords } from '#dashboard/words/en/notLive.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { minute, moment } from '#dashboard/words/format.ts'
import { useDraft } from '../../data/draft.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { now, zone } from '../../data/signal.ts'
import { LinkButton } from '../../parts/button.tsx'
import { DeployButton, DiscardButton } from '../../parts/deploy.tsx'
import { Icon } from '../../parts/icon.tsx'

const dayMs = 86_400_000
const timeOf = (at: number | undefined) =>
  at === undefined ? undefined : now.value - at < dayMs ? minute(at, zone.value.value) : moment(at, zone.value.value)

/** The problem of a channel, except a rejected key. */
function sentenceOf({ state, health, name, since, lastHour }: ChannelStatus): string {
  if (state === 'vendorDown') return words.vendorDown(name, timeOf(since))
  if (health === 'failing') return words.failing(name, lastHour)
  return words.throttled(name)
}

/** A channel that does not work, with how to fix it. */
function ChannelNotice({ tagId, channel }: { tagId: string; channel: ChannelStatus }) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const { state, health, name, scriptId, since, waiting } = channel
  const errors = address('channel', { tagId, scriptId })
  if (state === 'keyRejected')
    return (
      <li class="row notice bad">
        <Icon of={KeyRound} />
        <span>{words.keyRejected(name, timeOf(since), waiting)}</span>
        <LinkButton isSmall href={address('editChannel', { tagId, scriptId }, { field: 'key' })} why={why}>
          {frameWords.replaceKey}
        </LinkButton>
        <LinkButton isSmall variant="quiet" href={errors}>
          {words.seeErrors}
        </LinkButton>
      </li>
    )
  const isBad = state === 'vendorDown' || health === 'failing'
  return (
    <li class={`row notice ${isBad ? 'bad' : 'wait'}`}>
      <Icon of={state === 'vendorDown' ? ServerOff : TriangleAlert} />
      <span>{sentenceOf(channel)}</span>
      <LinkButton isSmall variant="quiet" href={errors}>
        {words.seeErrors}
      </LinkButton>
    </li>
  )
}

function DraftNotice({ tagId, count }: { tagId: string; count: number }) {
  const address = useAddress()
  return (
    <li class="row notice wait">
      <Icon of={PencilLine} />
      <span>{words.drafts(count)}</span>
      <LinkButton isSmall variant="quiet" href={address('deployments', { tagId })}>
        {notLiveWords.difference}
      </LinkButton>
      <DiscardButton isSmall tagId={tagId} />
      <DeployButton isSmall variant="plain" tagId={tagId} />
    </li>
  )
}

/** A channel that a person has paused is not broken. */
const isBroken = ({ state, health }: ChannelStatus) =>
  state !== 'paused' && (health === 'stopped' || health === 'failing' || state === 'throttled')

/** The channels that need action, the broken ones first. */
export function Notices({ tagId, channels }: { tagId: string; channels: readonly ChannelStatus[] }) {
  const draft = useDraft(tagId)
  const drafts = draft ? countNotLive(draft.values) : 0
  const failing = channels.filter(isBroken)
  if (failing.length === 0 && drafts === 0) return null
  return (
    <ul class="stack tight" aria-label={words.needsAction}>
      {failing.map((channel) => (
        <ChannelNotice key={channel.scriptId} tagId={tagId} channel={channel} />
      ))}
      {drafts > 0 && <DraftNotice tagId={tagId} count={drafts} />}
    </ul>
  )
}
