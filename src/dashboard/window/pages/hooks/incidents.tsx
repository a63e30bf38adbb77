import { CircleCheck, TriangleAlert } from 'lucide'
import type { Incident } from '#contract/alertRule.ts'
import { incidentWords as words } from '#dashboard/words/en/alertRules.ts'
import { useRead } from '../../data/here.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'

function Messages({ of }: { of: Incident['messages'] }) {
  if (of.length === 0) return <span class="soft">{words.toNobody}</span>
  return (
    <>
      {of.map(({ to, about, status, message }) => (
        <span key={`${to} ${about}`} class={status === 'failed' ? 'fieldIssue' : undefined}>
          {words.message(to, status)}
          {message && ` (${message})`}{' '}
        </span>
      ))}
    </>
  )
}

export const useIncidents = () => useRead(['incidents'], (api) => api.listIncidents({ limit: 50 }))

/** What the rules of the team found, newest first. */
export const Incidents = () => (
  <ListPanel
    title={words.title}
    note={words.note}
    none={words.none}
    of={useIncidents()}
    rowsOf={(data) => data.incidents}
    columns={[
      {
        name: 'what',
        label: words.what,
        cell: ({ title, endedAt }) => (
          <span class="line">
            <Mark icon={endedAt ? CircleCheck : TriangleAlert} tone={endedAt ? 'good' : 'bad'}>
              {endedAt ? words.ended : words.lasts}
            </Mark>
            <bdi>{title}</bdi>
          </span>
        ),
      },
      { name: 'from', label: words.from, cell: ({ firstAt }) => <Time at={firstAt} /> },
      { name: 'to', label: words.to, cell: ({ lastAt }) => <Time at={lastAt} /> },
      { name: 'messages', label: words.messages, cell: ({ messages }) => <Messages of={messages} /> },
    ]}
    keyOf={({ incidentId }) => incidentId}
  />
)
