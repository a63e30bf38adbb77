import { renameTeam, showTeam } from '#account/team.ts'
import type { TeamRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'

async function requireTeam({ store }: ControlDeps, teamId: string): Promise<TeamRecord> {
  const team = await store.team(teamId)
  if (!team) throw new Error(`The caller's team ${teamId} has no row.`)
  return team
}

export const readTeam: AnswerFor<'readTeam'> = async ({ access }, deps) =>
  showTeam(await requireTeam(deps, access.teamId))

export const updateTeam: AnswerFor<'updateTeam'> = async ({ body, access, from }, deps) => {
  const { teamId, by } = access
  const team = await renameTeam(deps, await requireTeam(deps, teamId), body.name, { by, from })
  deps.log({ message: 'changed', what: 'updateTeam', by, teamId, object: teamId })
  return showTeam(team)
}
