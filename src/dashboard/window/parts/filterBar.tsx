import { Plus, X } from 'lucide'
import { useState } from 'preact/hooks'
import { reasons, statuses } from '#contract/deliveryStatus.ts'
import { hasFilter, knownOf, personFilters, timeOf, toggled, withoutFilters } from '#dashboard/list/filters.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { useMay } from '../data/here.tsx'
import { zone } from '../data/signal.ts'
import { useQueryState, useScripts } from '../data/tag.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { type Choices, Options } from './inputs.tsx'
import { Menu } from './menu.tsx'
import { SavedViews } from './savedViews.tsx'

type TextFilterProps = { name: string; placeholder: string; label: string; isFirst?: boolean }

/** A text filter, applied on Enter and on blur. */
export function TextFilter({ name, placeholder, label, isFirst }: TextFilterProps) {
  const [query, setQuery] = useQueryState()
  const set = (value: string) =>
    value !== (query[name] ?? '') && setQuery({ ...query, [name]: value.trim() || undefined })
  return (
    <input
      type="search"
      class="filterText"
      aria-label={label}
      placeholder={placeholder}
      data-filter={isFirst ? '' : undefined}
      key={query[name]}
      defaultValue={query[name] ?? ''}
      spellcheck={false}
      onBlur={(event) => set(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && set(event.currentTarget.value)}
    />
  )
}

type ChoiceFilterProps<Value extends string> = {
  name: string
  label: string
  values: readonly Value[]
  wordOf: (value: Value) => string
}

/** Several values of a list. */
function ChoiceFilter<Value extends string>({ name, label, values, wordOf }: ChoiceFilterProps<Value>) {
  const [query, setQuery] = useQueryState()
  const chosen = knownOf(query[name], values)
  return (
    <Menu
      variant={chosen.length > 0 ? 'filter chosen' : 'filter'}
      label={
        <span class="cut">
          {label}
          {chosen.length > 0 && <b>{chosen.map(wordOf).join(', ')}</b>}
        </span>
      }
    >
      <div class="checks">
        {values.map((value) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => setQuery({ ...query, [name]: toggled(query[name], value) })}
            />
            {wordOf(value)}
          </label>
        ))}
      </div>
    </Menu>
  )
}

type SelectFilterProps = { name: string; label: string; any: string; of: Choices }

/** One value of a list. */
export function SelectFilter({ name, label, any, of }: SelectFilterProps) {
  const [query, setQuery] = useQueryState()
  return (
    <label class={`selectFilter${query[name] ? ' chosen' : ''}`}>
      <span class="hidden">{label}</span>
      <select
        value={query[name] ?? ''}
        onChange={(event) => setQuery({ ...query, [name]: event.currentTarget.value || undefined })}
      >
        <Options of={[['', any], ...of]} />
      </select>
    </label>
  )
}

function ChannelFilter({ tagId }: { tagId: string }) {
  const { data } = useScripts(tagId)
  const words = eventWords.filter
  const scripts = data?.scripts.map(({ scriptId, name }) => [scriptId, name] as const) ?? []
  return <SelectFilter name="channel" label={frameWords.title.channel} any={words.allChannels} of={scripts} />
}

/** A time in the format of the browser's own control, in the browser's time zone. */
const localTime = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)

/** A time from the browser's own control; ISO 8601 in the address. */
export function TimeFilter({ name, label }: { name: 'from' | 'to'; label: string }) {
  const [query, setQuery] = useQueryState()
  const at = timeOf(query[name])
  const local = at === undefined ? '' : localTime(at)
  const set = (text: string) => setQuery({ ...query, [name]: text ? new Date(text).toISOString() : undefined })
  return (
    <label class="timeFilter">
      <span>{label}</span>
      <input type="datetime-local" value={local} onChange={(event) => set(event.currentTarget.value)} />
    </label>
  )
}

const jumps = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** Starts the list at a time: shows the rows up to then. */
function JumpToTime() {
  const [query, setQuery] = useQueryState()
  const words = eventWords.filter
  const at = timeOf(query.to)
  const jump = (time: number | undefined) => {
    setQuery({ ...query, to: time === undefined ? undefined : new Date(time).toISOString() })
    scrollTo({ top: 0 })
  }
  return (
    <Menu
      variant={at === undefined ? 'filter' : 'filter chosen'}
      label={<span class="cut">{at === undefined ? words.jump : <b>{words.jumpTo(at, zone.value.value)}</b>}</span>}
    >
      <ul>
        {(Object.keys(jumps) as (keyof typeof jumps)[]).map((name) => (
          <li key={name}>
            <button type="button" data-closes onClick={() => jump(Date.now() - jumps[name])}>
              {words.jumps[name]}
            </button>
          </li>
        ))}
        {at !== undefined && (
          <li>
            <button type="button" data-closes onClick={() => jump(undefined)}>
              {words.jumpNow}
            </button>
          </li>
        )}
      </ul>
      <form
        class="inputRow jumpForm"
        onSubmit={(event) => {
          event.preventDefault()
          const time = new FormData(event.currentTarget).get('time')
          if (time) jump(+new Date(`${time}`))
          event.currentTarget.closest('details')!.open = false
        }}
      >
        <input
          type="datetime-local"
          name="time"
          step="1"
          aria-label={words.jump}
          defaultValue={at === undefined ? '' : localTime(at)}
        />
        <Button type="submit">{words.jumpGo}</Button>
      </form>
    </Menu>
  )
}

type FilterBarProps = {
  tagId: string
  hasMore?: boolean
  /** The name of the list whose views are saved. */
  views?: string
}

/** The filters of a list; each is in the address. `hasMore`: also the filters that lists have and streams do not. */
export function FilterBar({ tagId, hasMore = true, views }: FilterBarProps) {
  const [query, setQuery] = useQueryState()
  const words = eventWords.filter
  const { may: mayReadUser } = useMay('user:read')
  const [isMore, setMore] = useState(['reason', 'http', 'from', ...personFilters].some((name) => query[name]))
  return (
    <search class="row filters">
      <TextFilter name="name" label={words.name} placeholder={words.name} isFirst />
      <ChoiceFilter name="status" label={eventWords.columns.status} values={statuses} wordOf={statusWords.status} />
      <ChannelFilter tagId={tagId} />
      {views && <SavedViews key={views} tagId={tagId} list={views} />}
      {hasMore && <JumpToTime />}
      {hasMore && isMore && (
        <>
          <ChoiceFilter name="reason" label={words.reason} values={reasons} wordOf={statusWords.reason} />
          <TextFilter name="visitor" label={eventWords.columns.visitor} placeholder={words.visitorPlaceholder} />
          {mayReadUser && (
            <>
              <TextFilter name="order" label={words.order} placeholder={words.order} />
              <TextFilter name="customer" label={words.customer} placeholder={words.customer} />
            </>
          )}
          <TextFilter name="http" label={words.http} placeholder={`${words.http}: ${words.httpPlaceholder}`} />
          <TimeFilter name="from" label={words.from} />
        </>
      )}
      {hasMore && !isMore && (
        <Button variant="quiet" icon={Plus} onClick={() => setMore(true)}>
          {words.more}
        </Button>
      )}
      {hasFilter(query) && (
        <button type="button" class="button quiet" onClick={() => setQuery(withoutFilters(query))}>
          <Icon of={X} />
          <span>{frameWords.clear}</span>
        </button>
      )}
    </search>
  )
}
