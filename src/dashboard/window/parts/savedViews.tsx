import { Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { queryText } from '#dashboard/addresses.ts'
import { hasFilter } from '#dashboard/list/filters.ts'
import { isShown, parseViews, type SavedView, viewOf, withView } from '#dashboard/list/savedViews.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { useHere } from '../data/here.tsx'
import { useQueryState } from '../data/tag.tsx'
import { Button } from './button.tsx'
import { Menu } from './menu.tsx'

const words = eventWords.views

/** The views of a list, stored in this browser. */
function useViews(tagId: string, list: string) {
  const { environment } = useHere()
  const key = `aglet.views.${environment}.${tagId}.${list}`
  const [views, setViews] = useState(() => parseViews(localStorage.getItem(key)))
  const set = (next: SavedView[]) => {
    setViews(next)
    if (next.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(next))
  }
  return { views, set }
}

/** Lists the saved filters of a list by name, applies one, and saves the current filters under a name. */
export function SavedViews({ tagId, list }: { tagId: string; list: string }) {
  const [query] = useQueryState()
  const { path } = useLocation()
  const { views, set } = useViews(tagId, list)
  const shown = hasFilter(query) ? views.find((view) => isShown(view, query)) : undefined
  return (
    <Menu
      variant={shown ? 'filter chosen' : 'filter'}
      label={<span class="cut">{shown ? <b>{shown.name}</b> : words.title}</span>}
    >
      {views.length === 0 && <p class="hint padded">{words.none}</p>}
      <ul>
        {views.map((view) => (
          <li key={view.name} class="inputRow savedView">
            <a href={path + queryText(view.query)} data-closes>
              <bdi>{view.name}</bdi>
            </a>
            <Button
              isSmall
              variant="quiet"
              icon={Trash2}
              label={words.remove(view.name)}
              onClick={() => set(views.filter(({ name }) => name !== view.name))}
            />
          </li>
        ))}
      </ul>
      {hasFilter(query) && (
        <form
          class="inputRow jumpForm"
          onSubmit={(event) => {
            event.preventDefault()
            const form = event.currentTarget
            const name = `${new FormData(form).get('name')}`
            if (name.trim()) set(withView(views, viewOf(name, query)))
            form.reset()
            form.closest('details')!.open = false
          }}
        >
          <input
            type="text"
            name="name"
            maxLength={60}
            autocomplete="off"
            aria-label={words.name}
            placeholder={words.name}
          />
          <Button type="submit">{words.save}</Button>
        </form>
      )}
    </Menu>
  )
}
