import type { IncidentRecord } from '#store/incidents.ts'

type ExplainedIncident = Pick<IncidentRecord, 'kind' | 'tagId' | 'subjects' | 'firstAt' | 'lastAt'>

/** The URL of the dashboard page that explains an incident; without an incident, the list of the team's alerts. */
export type AlertPage = (incident: { teamId: string } & Partial<ExplainedIncident>) => string

const hourMs = 3_600_000

function pathOf({ kind, tagId, subjects = [], firstAt = 0, lastAt = 0 }: Partial<ExplainedIncident>): string {
  if (!tagId) return 'alerts'
  const tag = `tags/${encodeURIComponent(tagId)}`
  const [scriptId] = subjects
  if ((kind === 'channelStopped' || kind === 'failureRate') && scriptId)
    return subjects.length === 1 ? `${tag}/channels/${encodeURIComponent(scriptId)}` : `${tag}/channels`
  return `${tag}?from=${firstAt - hourMs}&to=${lastAt + hourMs}`
}

/** `dashboard`: the address of the dashboard of one environment. */
export const createAlertPage =
  (dashboard: string): AlertPage =>
  ({ teamId, ...incident }) =>
    `${dashboard}/${encodeURIComponent(teamId)}/${pathOf(incident)}`
