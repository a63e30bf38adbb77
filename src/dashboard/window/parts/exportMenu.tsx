import { Download } from 'lucide'
import { useState } from 'preact/hooks'
import { apiPath } from '#dashboard/addresses.ts'
import { sessionFetch } from '#dashboard/api/sessionClient.ts'
import type { ApiFilter } from '#dashboard/list/filters.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useHere } from '../data/here.tsx'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'
import { saveFile } from './saveFile.ts'
import { ProblemLine } from './view.tsx'

/** Saves a response as a file. The call needs headers, which a plain link cannot send. */
async function save(response: Response, name: string): Promise<void> {
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message ?? `${response.status}`)
  saveFile(await response.blob(), name)
}

type FilterValues = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>

/** Exports everything that matches the filter, not the rows on the screen. `path` is the API call that streams it. */
function FileMenu({ path: of, name, filter }: { path: string; name: string; filter: FilterValues }) {
  const { environment, teamId } = useHere()
  const [error, setError] = useState<unknown>()
  const run = async (format: 'csv' | 'ndjson') => {
    const path = apiPath(environment)
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    const values = new URLSearchParams({
      format,
      ...Object.fromEntries(given.map(([key, value]) => [key, `${value}`])),
    })
    const send = sessionFetch({ apiPath: path, origin: location.origin, teamId })
    const address = `${path}${of}?${values}`
    setError(undefined)
    await send(address)
      .then((response) => save(response, `${name}.${format}`))
      .catch(setError)
  }
  return (
    <>
      <Menu
        isEnd
        look="buttonLike"
        label={
          <>
            <Icon of={Download} />
            {frameWords.export}
          </>
        }
      >
        <ul>
          <li>
            <button type="button" data-closes onClick={() => run('csv')}>
              {eventWords.exportCsv}
            </button>
          </li>
          <li>
            <button type="button" data-closes onClick={() => run('ndjson')}>
              {eventWords.exportNdjson}
            </button>
          </li>
        </ul>
      </Menu>
      <ProblemLine error={error} />
    </>
  )
}

/** Exports the events or deliveries of a tag. */
export const ExportMenu = ({ tagId, of, filter }: { tagId: string; of: 'event' | 'delivery'; filter: ApiFilter }) => (
  <FileMenu path={`/tag/${encodeURIComponent(tagId)}/export`} name={`${of}s`} filter={{ of, ...filter }} />
)

/** Exports the orders of a range, with a line for each order and channel. `filter`: of the open cell. */
export const OrderExportMenu = ({ tagId, filter }: { tagId: string; filter: FilterValues }) => (
  <FileMenu path={`/tag/${encodeURIComponent(tagId)}/export`} name="orders" filter={{ of: 'order', ...filter }} />
)

/** Exports the audit of the team. */
export const AuditExportMenu = ({ filter }: { filter: FilterValues }) => (
  <FileMenu path="/audit/export" name="audit" filter={filter} />
)
