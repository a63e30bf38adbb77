import type { ChannelStatus } from '#contract/channel.ts'
import type { Stats } from '#contract/stats.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { count, duration, share } from '#dashboard/words/format.ts'
import { useDraft } from '../../data/draft.ts'
import { useAddress, useMay } from '../../data/here.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { NotLiveMark } from '../../parts/notLive.tsx'
import { ChannelHealth } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'

const errorText = ({ httpStatus, message, reason }: NonNullable<ChannelStatus['lastError']>) =>
  message ??
  [httpStatus === undefined ? undefined : eventWords.http(httpStatus), reason && statusWords.reason(reason)]
    .filter(Boolean)
    .join(' · ')

/** The last error and its time. */
const LastError = ({ of: { lastError } }: { of: ChannelStatus }) =>
  lastError ? (
    <span class="lastError">
      <span class="cut" title={errorText(lastError)}>
        {errorText(lastError)}
      </span>
      <span class="soft">
        <Time at={lastError.at} format="ago" />
      </span>
    </span>
  ) : null

type ChannelTableProps = { tagId: string; channels: readonly ChannelStatus[]; stats: Stats | undefined }

/** A row for each channel: state, delivery rate and p95 of the range, waiting deliveries, and the last error. */
export function ChannelTable({ tagId, channels, stats }: ChannelTableProps) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const { columns } = words
  const notLive = new Set(useDraft(tagId)?.values.scripts.map(({ scriptId }) => scriptId))
  if (channels.length === 0)
    return (
      <Empty
        title={words.noChannelsTitle}
        action={
          <LinkButton variant="primary" href={address('newChannel', { tagId })} why={why}>
            {frameWords.title.newChannel}
          </LinkButton>
        }
      >
        {words.noChannels}
      </Empty>
    )
  const ownOf = ({ scriptId }: ChannelStatus) => stats?.byScript.find((each) => each.scriptId === scriptId)
  const nameCell = ({ scriptId, name, state }: ChannelStatus) => (
    <>
      <a class="rowLink" href={address('channel', { tagId, scriptId })} title={name}>
        <bdi>{name}</bdi>
      </a>
      {state !== 'draft' && notLive.has(scriptId) && <NotLiveMark />}
    </>
  )
  const rateOf = (channel: ChannelStatus) => share(ownOf(channel)?.deliveredRate)
  const p95Of = (channel: ChannelStatus) => {
    const answers = ownOf(channel)?.latency?.response
    return answers ? duration(answers.p95Ms) : frameWords.none
  }
  return (
    <Cards
      variant="rows channelTable"
      label={frameWords.title.channels}
      columns={[
        { name: 'name', label: frameWords.title.channel, cell: nameCell },
        { name: 'state', label: frameWords.state, cell: (channel) => <ChannelHealth of={channel} /> },
        { name: 'rate', label: columns.rate, isNumber: true, cell: rateOf },
        { name: 'p95', label: columns.p95, isNumber: true, cell: p95Of },
        { name: 'waiting', label: columns.waiting, isNumber: true, cell: ({ waiting }) => count(waiting) },
        { name: 'lastError', label: columns.last, cell: (channel) => <LastError of={channel} /> },
      ]}
      rows={channels}
      keyOf={({ scriptId }) => scriptId}
    />
  )
}
