import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Client } from '#contract/client.ts'
import { type ActionRow, actionIds, actions, mayDo } from '#dashboard/actions.ts'
import { addressOf, helpAddress, type PageId, pageAt, pageEntries, pages } from '#dashboard/addresses.ts'
import { matchEntries, type PaletteEntry } from '#dashboard/list/match.ts'
import { frameWords, paletteWords } from '#dashboard/words/en/frame.ts'
import { type HereValue, useHere, useRead } from '../data/here.tsx'
import { leaveDashboard } from '../data/leave.ts'
import { applyTheme } from '../data/signal.ts'
import { Dialog } from '../parts/dialog.tsx'

type Entry = PaletteEntry & { run: () => void }

function listedEntries(here: HereValue, tagId: string | undefined, go: (address: string) => void): Entry[] {
  return pageEntries.flatMap(([id, { isListed, of, scopes, letter }]) =>
    isListed && (of === 'team' || tagId) && scopes.every((scope) => here.me.scopes.includes(scope))
      ? [
          {
            id: `page ${id}`,
            group: 'page' as const,
            text: frameWords.title[id],
            ...(letter && { hint: `g ${letter}` }),
            run: () => go(addressOf(here, id as 'overview', { tagId: tagId! })),
          },
        ]
      : [],
  )
}

/** The person's own pages; the operator page only for the operator. */
const ownEntries = (here: HereValue, go: (address: string) => void): Entry[] =>
  (['me', 'operator'] as const)
    .filter((id) => id === 'me' || here.session.person.isOperator)
    .map((id) => ({
      id: `page ${id}`,
      group: 'page' as const,
      text: frameWords.title[id],
      run: () => go(addressOf(here, id, {})),
    }))

/** The actions that the person may do, each on its page. */
function actionEntries(here: HereValue, tagId: string | undefined, go: (address: string) => void): Entry[] {
  const rights = { scopes: here.me.scopes, isOperator: here.session.person.isOperator === true }
  return actionIds
    .filter((id) => mayDo(id, rights) && (pages[actions[id].page].of !== 'tag' || tagId !== undefined))
    .map((id) => {
      const { page, hash }: ActionRow = actions[id]
      const address = addressOf(here, page as 'overview', { tagId: tagId! })
      return {
        id: `action ${id}`,
        group: 'action' as const,
        text: paletteWords.action[id],
        also: frameWords.title[page],
        run: () => go(hash ? `${address}#${hash}` : address),
      }
    })
}

/** Actions of the browser on any page: theme, help, list of keys, sign-out. */
function browserEntries(here: HereValue, page: PageId | undefined, onKeys: () => void): Entry[] {
  const themes = (['light', 'dark', 'system'] as const).map((name) => ({
    id: `theme ${name}`,
    group: 'action' as const,
    text: `${frameWords.theme}: ${frameWords.themes[name]}`,
    run: () => applyTheme(name),
  }))
  const help: Entry | undefined = page && {
    id: 'help',
    group: 'action' as const,
    text: frameWords.help,
    run: () => void open(helpAddress(page), '_blank', 'noopener'),
  }
  const leave: Entry = {
    id: 'signOut',
    group: 'action' as const,
    text: frameWords.signOut,
    run: () => void leaveDashboard(here),
  }
  const keys: Entry = { id: 'keys', group: 'action' as const, text: frameWords.keys, hint: '?', run: onKeys }
  return [...themes, ...(help ? [help] : []), keys, leave]
}

function useEntries(
  tagId: string | undefined,
  query: string,
  go: (address: string) => void,
  onKeys: () => void,
): Entry[] {
  const here = useHere()
  const page = pageAt(here.environment, useLocation().path)
  const mayReadScripts = here.me.scopes.includes('script:read') && tagId !== undefined
  const { data } = useRead(['scripts', tagId], (api: Client) => api.listScripts({ tagId: tagId!, limit: 200 }), {
    isEnabled: mayReadScripts,
    staleMs: 60_000,
  })
  const tags = here.me.tags.map((tag) => ({
    id: `tag ${tag.tagId}`,
    group: 'tag' as const,
    text: tag.name,
    run: () => go(addressOf(here, 'overview', { tagId: tag.tagId })),
  }))
  const channels = (data?.scripts ?? []).map(({ scriptId, name }) => ({
    id: `channel ${scriptId}`,
    group: 'channel' as const,
    text: name,
    run: () => go(addressOf(here, 'channel', { tagId: tagId!, scriptId })),
  }))
  const found = matchEntries(
    [
      ...listedEntries(here, tagId, go),
      ...ownEntries(here, go),
      ...tags,
      ...channels,
      ...actionEntries(here, tagId, go),
      ...browserEntries(here, page, onKeys),
    ],
    query,
  )
  const eventId = query.trim()
  if (eventId.length < 2 || tagId === undefined) return found
  const event = {
    id: 'event',
    group: 'event' as const,
    text: paletteWords.openEvent(eventId),
    run: () => go(addressOf(here, 'event', { tagId, eventId })),
  }
  const order = {
    id: 'order',
    group: 'event' as const,
    text: paletteWords.findOrder(eventId),
    run: () => go(addressOf(here, 'events', { tagId }, { order: eventId })),
  }
  return [...found, event, ...(here.me.scopes.includes('user:read') ? [order] : [])]
}

type OptionsProps = {
  id: string
  entries: readonly Entry[]
  chosen: number
  onPoint: (index: number) => void
  onRun: (entry: Entry) => void
}

/** The options of the combobox; the chosen one stays in view. */
function Options({ id, entries, chosen, onPoint, onRun }: OptionsProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <ul role="listbox" id={id} ref={list} aria-label={paletteWords.title}>
      {entries.map((entry, index) => (
        <li
          key={entry.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onClick={() => onRun(entry)}
          onMouseMove={() => onPoint(index)}
        >
          <span class="cut">{entry.text}</span>
          <span class="soft">{entry.hint ? <kbd>{entry.hint}</kbd> : paletteWords.groups[entry.group]}</span>
        </li>
      ))}
    </ul>
  )
}

type PaletteProps = { tagId: string | undefined; onClose: () => void; onKeys: () => void }

/** A combobox over everything that has an address (ARIA Authoring Practices, "Combobox"). */
export function Palette({ tagId, onClose, onKeys }: PaletteProps) {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const { route } = useLocation()
  const { me } = useHere()
  const entries = useEntries(tagId ?? me.tags[0]?.tagId, query, route, onKeys)
  const list = useId()
  const chosen = Math.min(at, entries.length - 1)
  const run = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) setAt((chosen + step + entries.length) % entries.length)
    else if (event.key === 'Enter') run(entries[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={paletteWords.title} onClose={onClose} variant="palette" isTitleHidden>
      <input
        type="text"
        role="combobox"
        aria-label={paletteWords.title}
        aria-expanded="true"
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={entries[chosen] ? `${list}-${chosen}` : undefined}
        placeholder={paletteWords.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <Options id={list} entries={entries} chosen={chosen} onPoint={setAt} onRun={run} />
      {entries.length === 0 && <p class="soft paletteNone">{paletteWords.none}</p>}
      <p class="hidden" role="status">
        {frameWords.results(entries.length)}
      </p>
    </Dialog>
  )
}

export const KeysDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={frameWords.keys} onClose={onClose} variant="narrow">
    <dl class="keys">
      {paletteWords.keys.map(([key, text]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
