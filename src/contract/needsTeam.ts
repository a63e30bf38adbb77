import type { Operation } from './operation.ts'

/** Whether the call requires the header `Team-Id`: each operation of a team, unless its row says otherwise. */
export const needsTeam = ({ access, isTeamOptional }: Operation): boolean =>
  typeof access !== 'string' && !isTeamOptional
