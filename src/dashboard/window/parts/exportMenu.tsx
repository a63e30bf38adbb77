import { Download } from 'lucide'
import { useState } from 'preact/hooks'
import { apiPath } from '#dashboard/addresses.ts'
import { sessionFetch } from '#dashboard/api/sessionClient.ts'
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
        variant="buttonLike"
        label={
          <>
            <Icon of={Download} />
            {frameWords.export}
          </>
        }
      >
        <ul>
          {(['csv', 'ndjson'] as const).map((format) => (
            <li key={format}>
              <button type="button" data-closes onClick={() => run(format)}>
                {format.toUpperCase()}
              </button>
            </li>
          ))}
        </ul>
      </Menu>
      <ProblemLine error={error} />
    </>
  )
}

const fileNames = { event: 'events', delivery: 'deliveries', order: 'orders' }
type ExportOf = { tagId: string; of: keyof typeof fileNames; filter: FilterValues }

/** Exports the events or deliveries of a tag, or its orders with a line for each order and channel. */
export const ExportMenu = ({ tagId, of, filter }: ExportOf) => (
  <FileMenu path={`/tag/${encodeURIComponent(tagId)}/export`} name={fileNames[of]} filter={{ of, ...filter }} />
)

/** Exports the audit of the team. */
export const AuditExportMenu = ({ filter }: { filter: FilterValues }) => (
  <FileMenu path="/audit/export" name="audit" filter={filter} />
)
