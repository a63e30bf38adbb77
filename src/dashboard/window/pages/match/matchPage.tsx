import type { MatchQuality } from '#contract/matchQuality.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { matchWords as words } from '#dashboard/words/en/match.ts'
import { useRead } from '../../data/here.tsx'
import { useQueryState } from '../../data/tag.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { RangePicker, useRange } from '../../parts/rangePicker.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'
import { MatchChannelPanel } from './matchChannelPanel.tsx'

/** The names of the events that channels delivered, the most frequent first. */
function eventNamesOf({ channels }: MatchQuality): string[] {
  const sums = new Map<string, number>()
  for (const { byEvent } of channels)
    for (const { eventName, events } of byEvent) sums.set(eventName, (sums.get(eventName) ?? 0) + events)
  return [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

function EventChoice({ names }: { names: readonly string[] }) {
  const [query, setQuery] = useQueryState()
  const { name = '' } = query
  const all = name && !names.includes(name) ? [...names, name] : names
  return (
    <label class="rangePicker">
      <span class="hidden">{words.eventName}</span>
      <select value={name} onChange={(event) => setQuery({ ...query, name: event.currentTarget.value || undefined })}>
        <option value="">{words.allEvents}</option>
        {all.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

function MatchPage({ tagId }: { tagId: string }) {
  const [{ name }] = useQueryState()
  const { key, now } = useRange('7d')
  const rangeNow = () => {
    const { from, to } = now()
    return { from, to }
  }
  const all = useRead(['match', tagId, key], (api) => api.readMatchQuality({ tagId, ...rangeNow() }), {
    staysWhile: tagId,
  })
  const ofName = useRead(
    ['match', tagId, key, name],
    (api) => api.readMatchQuality({ tagId, ...rangeNow(), ...(name && { eventName: name }) }),
    { isEnabled: name !== undefined },
  )
  return (
    <>
      <PageHead
        title={frameWords.title('match')}
        below={words.intro}
        actions={
          <>
            <EventChoice names={all.data ? eventNamesOf(all.data) : []} />
            <RangePicker fallback="7d" />
          </>
        }
      />
      <View of={name ? ofName : all} skeleton={<Skeleton rows={8} />}>
        {({ channels }) =>
          channels.length === 0 ? (
            <div class="panel">
              <Empty title={words.noChannelsTitle}>{words.noChannels}</Empty>
            </div>
          ) : (
            channels.map((channel) => <MatchChannelPanel key={channel.scriptId} tagId={tagId} of={channel} />)
          )
        }
      </View>
    </>
  )
}

/** How well the vendors of a tag can match the people in its events. */
export default tagPage(MatchPage)
