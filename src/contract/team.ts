import type { Operation } from './operation.ts'
import { Name, type Static, Type } from './schema.ts'

/** A team: its name and its creation time. */
export const Team = Type.Object({
  teamId: Type.String(),
  name: Type.String(),
  createdAt: Type.String({ format: 'date' }),
})
export type Team = Static<typeof Team>
export const TeamWrite = Type.Object({ name: Name })

export const teamOperations = {
  readTeam: {
    method: 'GET',
    path: '/team',
    summary: 'The team of the caller',
    access: [],
    response: Team,
  },
  updateTeam: {
    method: 'PUT',
    path: '/team',
    summary: 'Changes the name of the team',
    access: ['application:write'],
    body: TeamWrite,
    response: Team,
  },
} as const satisfies Record<string, Operation>
