import { useState } from 'preact/hooks'
import type { MatchChannel, VendorRating } from '#contract/matchQuality.ts'
import { matchWords } from '#dashboard/words/en/match.ts'
import { useAction } from '../../data/action.ts'
import { Button } from '../../parts/button.tsx'
import { Cards } from '../../parts/cards.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'

const words = matchWords.vendor

/** What the vendor said, for each of its event names. */
function Rated({ name, vendor }: { name: string; vendor: VendorRating }) {
  const { events = [], of } = vendor
  if (vendor.error) return <p class="fieldIssue padded">{words.errors[vendor.error]}</p>
  if (events.length === 0) return <p class="soft padded">{words.noEvents}</p>
  return (
    <Cards
      label={words.title(name)}
      columns={[
        { name: 'event', label: words.columns.event, cell: ({ eventName }) => <bdi>{eventName}</bdi> },
        {
          name: 'score',
          label: words.columns.score,
          isNumber: true,
          cell: ({ score }) => (score === undefined ? '–' : words.score(score, of)),
        },
        {
          name: 'coverage',
          label: words.columns.coverage,
          isNumber: true,
          cell: ({ coverage }) => matchWords.share(coverage),
        },
      ]}
      rows={events}
      keyOf={({ eventName }) => eventName}
    />
  )
}

/** The vendor's own rating beside ours: as it was known, or as the vendor says when it is asked. */
export function VendorFigure({ tagId, of: { scriptId, name, vendor } }: { tagId: string; of: MatchChannel }) {
  const action = useAction()
  const [answer, setAnswer] = useState<VendorRating>()
  const ask = async () => {
    const found = await action.run((api) => api.readMatchQuality({ tagId, scriptId, vendor: 'ask' }))
    if (found) setAnswer(found.channels[0]?.vendor)
  }
  const shown = answer ?? vendor!
  const canAsk = shown.at === undefined || shown.error !== undefined
  return (
    <div>
      <div class="padded">
        <b>{shown.name}</b>{' '}
        <span class="soft">
          {shown.at === undefined ? (
            words.notAsked
          ) : (
            <>
              {words.asked} <Time at={shown.at} />
            </>
          )}
        </span>{' '}
        {canAsk && (
          <Button isSmall isBusy={action.isBusy} onClick={() => void ask()}>
            {words.ask}
          </Button>
        )}
        <ProblemLine error={action.error} />
      </div>
      {shown.at !== undefined && <Rated name={name} vendor={shown} />}
    </div>
  )
}
