import { Minus, Plus, X } from 'lucide'
import { useId, useState } from 'preact/hooks'
import {
  parseRegionText,
  type RegionEntry,
  regionName,
  regionSentence,
  regionText,
  searchRegions,
} from '#dashboard/form/regions.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { Icon } from '../../parts/icon.tsx'

type RegionFieldProps = { value: string; issue: string | undefined; onChange: (text: string) => void }

/** Regions to include and exclude: by search, as text, and as a sentence that explains them. */
export function RegionField({ value: text, issue, onChange }: RegionFieldProps) {
  const entries = parseRegionText(text)
  const set = (next: readonly RegionEntry[]) => onChange(regionText(next))
  return (
    <fieldset class={`field${issue ? ' invalid' : ''}`}>
      <legend>{frameWords.regions}</legend>
      <p class="sentence" aria-live="polite">
        {regionSentence(entries)}
      </p>
      <ChosenRegions entries={entries} onRemove={(code) => set(entries.filter((each) => each.code !== code))} />
      <RegionSearch entries={entries} onAdd={(code, isExcluded) => set([...entries, { code, isExcluded }])} />
      <label class="asText">
        <span class="soft">{words.regionsText}</span>
        <input
          type="text"
          name="geoRegions"
          value={text}
          placeholder={words.regionsExample}
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <p class="fieldIssue">{issue}</p>
      <p class="hint">{words.regionsHint}</p>
    </fieldset>
  )
}

/** The chosen regions, each with a button that removes it. */
function ChosenRegions({ entries, onRemove }: { entries: readonly RegionEntry[]; onRemove: (code: string) => void }) {
  if (entries.length === 0) return null
  return (
    <ul class="chips">
      {entries.map(({ code, isExcluded }) => (
        <li key={code} class={isExcluded ? 'excluded' : ''}>
          {isExcluded && <i>{words.not}</i>} {regionName(code)}
          <button type="button" aria-label={frameWords.removeNamed(regionName(code))} onClick={() => onRemove(code)}>
            <Icon of={X} />
          </button>
        </li>
      ))}
    </ul>
  )
}

type RegionSearchProps = { entries: readonly RegionEntry[]; onAdd: (code: string, isExcluded: boolean) => void }

/** Regions found by name or code. Enter includes the first. */
function RegionSearch({ entries, onAdd }: RegionSearchProps) {
  const id = useId()
  const [query, setQuery] = useState('')
  const found = searchRegions(query, entries)
  const add = (code: string, isExcluded: boolean) => {
    onAdd(code, isExcluded)
    setQuery('')
  }
  return (
    <>
      <input
        type="search"
        aria-label={words.regionSearch}
        placeholder={words.regionSearch}
        value={query}
        autocomplete="off"
        aria-controls={id}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (found[0]) add(found[0].code, false)
        }}
      />
      <ul id={id} class="regionChoices">
        {found.map(({ code, name }) => (
          <li key={code}>
            <span>
              {name} <code>{code}</code>
            </span>
            <button
              type="button"
              class="button small"
              aria-label={words.include(name)}
              onClick={() => add(code, false)}
            >
              <Icon of={Plus} />
            </button>
            <button type="button" class="button small" aria-label={words.exclude(name)} onClick={() => add(code, true)}>
              <Icon of={Minus} />
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
