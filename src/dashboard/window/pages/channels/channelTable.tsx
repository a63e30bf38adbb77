import type { ChannelStatus } from '#contract/channel.ts'
import type { Stats } from '#contract/stats.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count, duration, rate } from '#dashboard/words/format.ts'
import { useDraft } from '../../data/draft.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { NotLiveMark } from '../../parts/notLive.tsx'
import { ChannelHealth } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'

const errorText = ({ httpStatus, message, reason }: NonNullable<ChannelStatus['lastError']>) =>
  message ??
  [httpStatus === undefined ? undefined : eventWords.http(httpStatus), reason && statusWords.reason(reason)]
    .filter(Boolean)
    .join(' · ')

type RowProps = {
  tagId: string
  channel: ChannelStatus
  own: Stats['byScript'][number] | undefined
  isNotLive: boolean
}

/** One channel with its numbers of the range. */
function ChannelRow({ tagId, channel, own, isNotLive }: RowProps) {
  const address = useAddress()
  const { columns } = words
  const { scriptId, name, waiting, lastError } = channel
  return (
    <tr>
      <th scope="row">
        <a class="rowLink" href={address('channel', { tagId, scriptId })} title={name}>
          <bdi>{name}</bdi>
        </a>
        {isNotLive && <NotLiveMark />}
      </th>
      <td class="stateCell">
        <ChannelHealth of={channel} />
      </td>
      <td class="number rateCell" data-label={columns.rate}>
        {own?.deliveredRate === undefined ? words.none : rate(own.deliveredRate)}
      </td>
      <td class="number p95Cell">{own?.latency?.response ? duration(own.latency.response.p95Ms) : words.none}</td>
      <td class="number waitingCell" data-label={columns.waiting}>
        {count(waiting)}
      </td>
      <td class="wide">
        {lastError && (
          <span class="lastError">
            <span class="cut" title={errorText(lastError)}>
              {errorText(lastError)}
            </span>
            <span class="soft">
              <Time at={lastError.at} look="ago" />
            </span>
          </span>
        )}
      </td>
    </tr>
  )
}

/** A row for each channel: state, delivered rate and p95 of the range, what waits, and the last error. */
export function ChannelTable({
  tagId,
  channels,
  stats,
}: {
  tagId: string
  channels: readonly ChannelStatus[]
  stats: Stats | undefined
}) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const { columns } = words
  const notLive = new Set(useDraft(tagId)?.values.scripts.map(({ scriptId }) => scriptId))
  if (channels.length === 0)
    return (
      <Empty
        title={words.noChannelsTitle}
        action={
          <LinkButton look="primary" href={address('newChannel', { tagId })} why={why}>
            {words.addChannel}
          </LinkButton>
        }
      >
        {words.noChannels}
      </Empty>
    )
  return (
    <table class="table rows channelTable" aria-label={words.channels}>
      <thead>
        <tr>
          <th scope="col">{columns.name}</th>
          <th scope="col">{columns.state}</th>
          <th scope="col" class="number">
            {columns.rate}
          </th>
          <th scope="col" class="number">
            {columns.p95}
          </th>
          <th scope="col" class="number">
            {columns.waiting}
          </th>
          <th scope="col" class="wide">
            {columns.last}
          </th>
        </tr>
      </thead>
      <tbody>
        {channels.map((channel) => (
          <ChannelRow
            key={channel.scriptId}
            tagId={tagId}
            channel={channel}
            isNotLive={channel.state !== 'draft' && notLive.has(channel.scriptId)}
            own={stats?.byScript.find(({ scriptId }) => scriptId === channel.scriptId)}
          />
        ))}
      </tbody>
    </table>
  )
}
