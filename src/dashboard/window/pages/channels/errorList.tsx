import { CircleCheck } from 'lucide'
import type { Client } from '#contract/client.ts'
import { type ErrorGroup, errorGroups } from '#dashboard/list/errorGroups.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useAddress, useRead } from '../../data/here.tsx'
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

type GroupRowProps = { tagId: string; scriptId: string; group: ErrorGroup; hasMore: boolean }

/** One message, how often it came and when last. */
function GroupRow({ tagId, scriptId, group, hasMore }: GroupRowProps) {
  const address = useAddress()
  const { message, httpStatus, reason, count, lastAt } = group
  return (
    <tr>
      <th scope="row">
        <a
          class="rowLink"
          title={message}
          href={address(
            'deliveries',
            { tagId },
            { channel: scriptId, reason, http: httpStatus === undefined ? undefined : `${httpStatus}` },
          )}
        >
          {message ?? (reason ? statusWords.reason(reason) : words.noMessage)}
        </a>
        {message && reason && <small class="soft">{statusWords.reason(reason)}</small>}
      </th>
      <td class="number rateCell" data-label={words.errorCountTitle}>
        {words.errorCount(count, hasMore)}
      </td>
      <td class="number waitingCell">
        <Time at={lastAt} look="ago" />
      </td>
    </tr>
  )
}

/** The failed deliveries of a channel by message, each with a way to them. */
export function ErrorList({ tagId, scriptId }: { tagId: string; scriptId: string }) {
  const reading = useRead(
    ['errors', tagId, scriptId],
    (api: Client) =>
      api.listDeliveries({
        tagId,
        scriptId,
        reason: [...errorReasons],
        from: Math.floor((Date.now() - weekMs) / 60_000) * 60_000,
        limit: mostRows,
      }),
    { everyMs: 15_000 },
  )
  return (
    <View of={reading} skeleton={<Skeleton rows={3} />}>
      {({ deliveries, next }) => {
        const groups = errorGroups(deliveries)
        if (groups.length === 0) return <Note icon={CircleCheck} title={words.noErrors} />
        return (
          <table class="table rows errorTable" aria-label={words.errors}>
            <thead>
              <tr>
                <th scope="col">{words.errorMessage}</th>
                <th scope="col" class="number">
                  {words.errorCountTitle}
                </th>
                <th scope="col" class="number">
                  {words.errorLast}
                </th>
              </tr>
            </thead>
            <tbody>
              {groups.map((group) => (
                <GroupRow
                  key={group.key}
                  tagId={tagId}
                  scriptId={scriptId}
                  group={group}
                  hasMore={next !== undefined}
                />
              ))}
            </tbody>
          </table>
        )
      }}
    </View>
  )
}
