import { CircleCheck } from 'lucide'
import { type ErrorGroup, errorGroups } from '#dashboard/list/errorGroups.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useAddress, useRead } from '../../data/here.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Time } from '../../parts/time.tsx'
import { Note, Skeleton, View } from '../../parts/view.tsx'

/** At most so many failed deliveries are grouped; more are told as "1,000+". */
const mostRows = 1_000
const weekMs = 604_800_000
const errorReasons = [
  'keyRejected',
  'payloadRefused',
  'addressNotAllowed',
  'vendorDown',
  'throttled',
  'poison',
  'expired',
] as const

/** The failed deliveries of a channel by message, each with a way to them. */
export function ErrorList({ tagId, scriptId }: { tagId: string; scriptId: string }) {
  const address = useAddress()
  const reading = useRead(
    ['errors', tagId, scriptId],
    (api) =>
      api.listDeliveries({
        tagId,
        scriptId,
        reason: [...errorReasons],
        from: Math.floor((Date.now() - weekMs) / 60_000) * 60_000,
        limit: mostRows,
      }),
    { everyMs: 15_000 },
  )
  const messageCell = ({ message, httpStatus, reason }: ErrorGroup) => {
    const filter = { channel: scriptId, reason, http: httpStatus === undefined ? undefined : `${httpStatus}` }
    return (
      <>
        <a class="rowLink" title={message} href={address('deliveries', { tagId }, filter)}>
          {message ?? (reason ? statusWords.reason(reason) : words.noMessage)}
        </a>
        {message && reason && <small class="soft">{statusWords.reason(reason)}</small>}
      </>
    )
  }
  return (
    <View of={reading} skeleton={<Skeleton rows={3} />}>
      {({ deliveries, next }) => {
        const groups = errorGroups(deliveries)
        if (groups.length === 0) return <Note icon={CircleCheck} title={words.noErrors} />
        return (
          <Cards
            look="rows errorTable"
            label={words.errors}
            columns={[
              { name: 'message', label: words.errorMessage, cell: messageCell },
              {
                name: 'count',
                label: words.errorCountTitle,
                isNumber: true,
                cell: ({ count }) => words.errorCount(count, next !== undefined),
              },
              {
                name: 'last',
                label: words.errorLast,
                isNumber: true,
                cell: ({ lastAt }) => <Time at={lastAt} look="ago" />,
              },
            ]}
            rows={groups}
            keyOf={({ key }) => key}
          />
        )
      }}
    </View>
  )
}
