import { Check, type IconNode, MapPin, Puzzle, ShieldCheck, User } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Journey } from '#contract/journey.ts'
import { changesOf } from '#dashboard/explain/changes.ts'
import { eventWords as words } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { visitorWords } from '#dashboard/words/en/visitors.ts'
import { useHere } from '../../data/here.tsx'
import { zone } from '../../data/signal.ts'
import { useManifest } from '../../data/tag.tsx'
import { Answers } from '../../parts/answers.tsx'
import { Id } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'

const Step = ({ icon, name, children }: { icon: IconNode; name: string; children: ComponentChildren }) => (
  <li>
    <Icon of={icon} />
    <div>
      <b>{name}</b>
      <div class="stepText">{children}</div>
    </div>
  </li>
)

const shown = (value: unknown) => {
  const text = value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

type PluginStepsProps = { received: unknown; steps: Journey['afterPlugins'] }

/** The effect of each plugin, with both values of each changed field. */
export function PluginSteps({ received, steps: afterPlugins = [] }: PluginStepsProps) {
  const { me } = useHere()
  const isEnabled = afterPlugins.length > 0 && me.scopes.includes('manifest:read')
  const { data } = useManifest(isEnabled)
  const nameOf = (plugin: string) => data?.plugins?.find(({ value }) => value === plugin)?.label ?? plugin
  if (afterPlugins.length === 0) return <>{words.noPlugins}</>
  let before = received
  const steps = afterPlugins.map(({ plugin, event, filtered, added }) => {
    const changes = event ? changesOf(before, event) : []
    before = event ?? before
    return { plugin, filtered, added, changes }
  })
  return (
    <ul class="pluginSteps">
      {steps.map(({ plugin, filtered, added, changes }) => (
        <li key={plugin}>
          {filtered
            ? words.pluginFiltered(nameOf(plugin))
            : changes.length > 0
              ? words.pluginChanged(
                  nameOf(plugin),
                  changes.map(({ path }) => path),
                )
              : words.pluginUnchanged(nameOf(plugin))}
          {added && added.length > 0 && ` ${words.pluginAdded(nameOf(plugin), added)}`}
          {changes.length > 0 && (
            <ul class="fieldChanges">
              {changes.map(({ path, before: was, after }) => (
                <li key={path}>
                  <code>{path}</code> <del>{shown(was)}</del> <ins>{shown(after)}</ins>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  )
}

type Maps = { consentCategories?: Answered; consent?: Answered }
type Answered = Readonly<Record<string, unknown>>

/** The consent that was applied: of the event or visitor, then of others with the same e-mail. */
function Decided({ of = {} }: { of: Answered | undefined }) {
  const { others = [], gpc, ...own } = of as Maps & { others?: readonly Maps[]; gpc?: true }
  const answers = [own, ...others].flatMap(({ consentCategories, consent }) => [
    [visitorWords.categories, consentCategories] as const,
    [visitorWords.purposes, consent] as const,
  ])
  return (
    <>
      {gpc && <p>{words.hasGpc}</p>}
      {answers.map(
        ([title, map], n) =>
          map &&
          Object.keys(map).length > 0 && (
            <div key={n}>
              <small>{title}</small>
              <Answers of={map} />
            </div>
          ),
      )}
    </>
  )
}

/** The facts and decisions before the channels. */
export function Timeline({ journey }: { journey: Journey }) {
  const { receivedAt, userId, joined, consent, place } = journey
  return (
    <ol class="timeline">
      <Step icon={Check} name={words.steps.accepted}>
        <Time at={receivedAt} format="clock" />
      </Step>
      <Step icon={Puzzle} name={frameWords.title.plugins}>
        <PluginSteps received={journey.received} steps={journey.afterPlugins} />
      </Step>
      <Step icon={User} name={words.columns.visitor}>
        <Id of={userId} /> {joined && words.joinedBy[joined.by](joined.userId)}
      </Step>
      {consent && (
        <Step icon={ShieldCheck} name={frameWords.title.consent}>
          {words.consentText(consent, zone.value.value)} {consent.joinedBy && words.consentJoined}
          <Decided of={consent.decided} />
        </Step>
      )}
      {place && (
        <Step icon={MapPin} name={words.steps.place}>
          {words.placeText(place)}
        </Step>
      )}
    </ol>
  )
}
