import { Check, CircleUser } from 'lucide'
import type { ComponentChildren } from 'preact'
import { addressOf, basePath, environments, type PageId, pages } from '#dashboard/addresses.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useHere } from '../data/here.tsx'
import { leaveDashboard } from '../data/leave.ts'
import { applyTheme, letters, theme, zone } from '../data/signal.ts'
import { Icon } from '../parts/icon.tsx'
import { Tabs } from '../parts/inputs.tsx'
import { Menu } from '../parts/menu.tsx'

type ChoiceProps = { isChosen: boolean; children: ComponentChildren; href: string; native?: boolean }

const Choice = ({ isChosen, children, href, native }: ChoiceProps) => (
  <li>
    <a href={href} aria-current={isChosen ? 'true' : undefined} target={native ? '_self' : undefined}>
      {isChosen ? <Icon of={Check} /> : <span class="icon" />}
      <span class="cut">{children}</span>
    </a>
  </li>
)

/** The person's teams, and the other environment. */
export function TeamMenu() {
  const here = useHere()
  const team = here.session.teams.find(({ teamId }) => teamId === here.teamId)
  return (
    <Menu name={frameWords.chooseTeam} label={<span class="cut">{team?.name ?? here.teamId}</span>}>
      <ul>
        {here.session.teams.map(({ teamId, name }) => (
          <Choice
            key={teamId}
            href={addressOf({ environment: here.environment, teamId }, 'team', {})}
            isChosen={teamId === here.teamId}
          >
            {name}
          </Choice>
        ))}
      </ul>
      <hr />
      <ul>
        {environments.map((environment) => (
          <Choice key={environment} href={basePath(environment)} isChosen={environment === here.environment} native>
            {frameWords.environment[environment]}
          </Choice>
        ))}
      </ul>
    </Menu>
  )
}

/** The tags of the team. Choosing a tag opens the same page of it, if there is one. */
export function TagMenu({ tagId, page }: { tagId: string | undefined; page: PageId | undefined }) {
  const here = useHere()
  const tag = here.me.tags.find((each) => each.tagId === tagId)
  const row = page && pages[page]
  const target = row?.isListed && row.of === 'tag' ? page : 'overview'
  return (
    <Menu
      name={frameWords.chooseTag}
      label={<span class="cut">{tag?.name ?? (tagId ? tagId : frameWords.title.team)}</span>}
    >
      <ul>
        {here.me.tags.map((each) => (
          <Choice
            key={each.tagId}
            href={addressOf(here, target as 'overview', { tagId: each.tagId })}
            isChosen={each.tagId === tagId}
          >
            {each.name}
          </Choice>
        ))}
      </ul>
      <hr />
      <ul>
        <Choice href={addressOf(here, 'team', {})} isChosen={tagId === undefined}>
          {frameWords.title.team}
        </Choice>
      </ul>
    </Menu>
  )
}

type ChoicesProps<Value extends string> = {
  name: string
  values: Readonly<Record<Value, string>>
  value: Value
  onChange: (next: Value) => void
}

/** A choice of a few values. */
function Choices<Value extends string>({ name, values, value, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset class="segments">
      <legend>{name}</legend>
      <Tabs label={name} of={values} value={value} onChange={onChange} />
    </fieldset>
  )
}

/** The person, the preferences of this browser, and sign-out. */
export function PersonMenu({ onKeys }: { onKeys: () => void }) {
  const here = useHere()
  const { session, environment } = here
  const { name, email } = session.person
  return (
    <Menu name={name} isEnd variant="person" label={<Icon of={CircleUser} />}>
      <p class="menuTitle">
        <b>{name}</b>
        {email && <span class="soft cut">{email}</span>}
      </p>
      <div class="stack menuFields">
        <Choices name={frameWords.theme} values={frameWords.themes} value={theme.value.value} onChange={applyTheme} />
        <Choices name={frameWords.zone} values={frameWords.zones} value={zone.value.value} onChange={zone.set} />
        <Choices
          name={frameWords.letters}
          values={{ on: frameWords.on, off: frameWords.off }}
          value={letters.value.value}
          onChange={letters.set}
        />
      </div>
      <ul>
        <li>
          <button type="button" data-closes onClick={onKeys}>
            {frameWords.keys}
          </button>
        </li>
        <li>
          <a href={addressOf(here, 'me', {})}>{frameWords.title.me}</a>
        </li>
        {session.person.isOperator && (
          <li>
            <a href={addressOf(here, 'operator', {})}>{frameWords.title.operator}</a>
          </li>
        )}
        <li>
          <a href={environment === 'production' ? '/docs' : `/${environment}/docs`}>{frameWords.apiReference}</a>
        </li>
        <li>
          <button type="button" onClick={() => void leaveDashboard(here)}>
            {frameWords.signOut}
          </button>
        </li>
      </ul>
    </Menu>
  )
}
