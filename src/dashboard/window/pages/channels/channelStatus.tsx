import { LockOpen } from 'lucide'
import type { ChannelStatus } from '#contract/channel.ts'
import type { Manifest } from '#contract/manifest.ts'
import type { Script } from '#contract/script.ts'
import type { Stats } from '#contract/stats.ts'
import { parseRegionText, regionSentence } from '#dashboard/form/regions.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { overviewWords } from '#dashboard/words/en/overview.ts'
import { ago, count, duration, rate } from '#dashboard/words/format.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { now } from '../../data/signal.ts'
import { useManifest } from '../../data/tag.tsx'
import { CopyButton, LinkButton } from '../../parts/button.tsx'
import { Facts } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SavedValue } from '../../parts/notLive.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useRange } from '../../parts/rangePicker.tsx'
import { ChannelHealth } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Skeleton, View } from '../../parts/view.tsx'
import { LatencyChart, Outcomes } from '../overview/charts.tsx'

/** The sentence for a channel's state; for a working channel, for its health. */
function healthSentence({ state, health, lastHour: { delivered, failed, runs, failedRuns } }: ChannelStatus): string {
  if (health === 'stopped' || state === 'draft' || (health === 'waiting' && state === 'throttled'))
    return words.stateText[state]
  if (health !== 'failing') return words.healthText[health]
  return [
    failed > 0 && words.failedDeliveries(failed, delivered + failed),
    failedRuns > 0 && words.failedRuns(failedRuns, runs),
  ]
    .filter(Boolean)
    .join(' ')
}

/** What a channel requires of a visitor and an event, as facts. */
const needsOf = (script: Script, needs: readonly (readonly string[])[]) => [
  script.consentCategory !== undefined &&
    ([
      frameWords.title.consent,
      <SavedValue key="consent" of={script} name="consentCategory" text={words.category(script.consentCategory)} />,
    ] as const),
  [
    frameWords.regions,
    <SavedValue
      key="regions"
      of={script}
      name="geoRegions"
      text={regionSentence(parseRegionText(script.geoRegions))}
    />,
  ] as const,
  needs.length > 0 &&
    ([
      words.needs,
      <span key="needs" class="line">
        {needs.map((each) => (
          <code key={each.join(' ')}>{each.join(' + ')}</code>
        ))}
      </span>,
    ] as const),
]

type Provider = NonNullable<Manifest['providers']>[number]
/** The keys by which the vendor matches a person: the strong keys, then the medium ones. */
const matchText = (keys: NonNullable<Provider['matchKeys']>) =>
  words.matchKeys(['strong', 'medium'].map((each) => keys.filter(({ strength }) => strength === each)))

type StandingProps = { status: ChannelStatus; script: Script; own: Stats['byScript'][number] | undefined }

/** The state of the channel: its health, what is waiting, and since when. */
export function Standing({ status, script, own }: StandingProps) {
  const { since, nextAt, waiting, held, oldestAt, lastDeliveredAt } = status
  const manifest = useManifest()
  const provider = manifest.data?.providers?.find(({ value }) => value === script.providerId)
  const matched = matchText(provider?.matchKeys ?? [])
  return (
    <Panel title={frameWords.state}>
      <p class="line">
        <ChannelHealth of={status} /> <span class="soft">{healthSentence(status)}</span>
      </p>
      <Facts
        of={[
          since !== undefined && [frameWords.since, <Time key="since" at={since} />],
          nextAt !== undefined && [words.nextTry, ago(Math.max(nextAt, now.value), now.value)],
          own?.deliveredRate !== undefined && [overviewWords.columns.rate, rate(own.deliveredRate)],
          own?.latency?.response && [words.p95, duration(own.latency.response.p95Ms)],
          [words.waiting, count(waiting)],
          held > 0 && [words.held, count(held)],
          oldestAt !== undefined && [words.oldest, <Time key="oldest" at={oldestAt} format="ago" />],
          [
            words.lastDelivered,
            lastDeliveredAt === undefined ? words.never : <Time key="last" at={lastDeliveredAt} format="ago" />,
          ],
          ...needsOf(script, provider?.needs ?? []),
          matched !== '' && [words.matchKeysFact, <bdi key="match">{matched}</bdi>],
          [words.provider, provider?.label ?? script.providerId],
        ]}
      />
    </Panel>
  )
}

/** The address of a webhook, and whether it may be called without a token. */
export function WebhookAddress({ tagId, script }: { tagId: string; script: Script }) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const { webhookUrl, secrets, scriptId } = script
  if (webhookUrl === undefined) return null
  return (
    <Panel title={frameWords.address} note={words.addressNote}>
      <p class="inputRow">
        <code>{webhookUrl}</code>
        <CopyButton text={webhookUrl} />
      </p>
      {secrets?.WEBHOOK_TOKEN?.isSet ? (
        <p class="soft">{words.hasToken}</p>
      ) : (
        <div class="row notice wait">
          <Icon of={LockOpen} />
          <span>{words.isPublic}</span>
          <LinkButton isSmall why={why} href={address('editChannel', { tagId, scriptId }, { field: 'WEBHOOK_TOKEN' })}>
            {words.setToken}
          </LinkButton>
        </div>
      )}
    </Panel>
  )
}

/** The deliveries of the channel over time, and the vendor's latency. */
export function ChannelCharts({ tagId, scriptId }: { tagId: string; scriptId: string }) {
  const range = useRange('24h')
  const stats = useChannelStats(tagId, scriptId)
  return (
    <View of={stats} skeleton={<Skeleton rows={1} height="chart" />}>
      {(data) =>
        Object.keys(data.deliveries.counts).length === 0 ? null : (
          <div class="columns chartGrid">
            <Outcomes stats={data} range={range} marks={[]} />
            <LatencyChart stats={data} range={range} marks={[]} />
          </div>
        )
      }
    </View>
  )
}

/** The counts and latencies of one channel in the range of the page. */
export function useChannelStats(tagId: string, scriptId: string) {
  const { key, now: rangeNow } = useRange('24h')
  return useRead(['stats', tagId, key, scriptId], (api) => api.readStats({ tagId, scriptId, ...rangeNow() }), {
    everyMs: 15_000,
    staysWhile: scriptId,
  })
}
