import type { Channel } from './channel.ts'

export type ChannelQueue = ReturnType<typeof openChannelQueue>

/** A fair queue of channels: round robin over teams, and over the channels of each team. */
export function openChannelQueue() {
  const teams: { teamId: string; channels: Channel[] }[] = []
  const byId = new Map<string, (typeof teams)[number]>()
  const queued = new Set<Channel>()

  function teamOf(teamId: string) {
    const existing = byId.get(teamId)
    if (existing) return existing
    const team = { teamId, channels: [] }
    byId.set(teamId, team)
    teams.push(team)
    return team
  }
  return {
    /** Adds the channel behind the others of its team. Does nothing if it is already queued. */
    enqueue(channel: Channel): void {
      if (queued.has(channel)) return
      queued.add(channel)
      teamOf(channel.facts.teamId).channels.push(channel)
    },
    next(): Channel | undefined {
      const team = teams.shift()
      const channel = team?.channels.shift()
      if (!team || !channel) return undefined
      if (team.channels.length > 0) teams.push(team)
      else byId.delete(team.teamId)
      queued.delete(channel)
      return channel
    },
    hasNext: () => teams.length > 0,
  }
}
