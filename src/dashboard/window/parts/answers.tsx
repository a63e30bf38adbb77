import { CircleCheck, CircleX } from 'lucide'
import { channelWords } from '#dashboard/words/en/channels.ts'
import { visitorWords as words } from '#dashboard/words/en/visitors.ts'
import { Mark } from './status.tsx'

/** The answers of a consent, by category or service. */
export const Answers = ({ of }: { of: Readonly<Record<string, unknown>> }) => (
  <ul class="lineList">
    {Object.entries(of).map(([name, isGiven]) => (
      <li key={name}>
        <bdi>{name === 'all' ? words.everything : channelWords.category(name)}</bdi>
        {typeof isGiven === 'boolean' ? (
          <Mark icon={isGiven ? CircleCheck : CircleX} tone={isGiven ? 'good' : 'bad'}>
            {isGiven ? words.yes : words.no}
          </Mark>
        ) : (
          <code>{JSON.stringify(isGiven)}</code>
        )}
      </li>
    ))}
  </ul>
)
