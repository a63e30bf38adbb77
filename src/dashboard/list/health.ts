import type { ChannelStatus } from '#contract/channel.ts'

type Health = ChannelStatus['health']
/** Worst first, as in the contract, whose file has schemas that pages do not load. */
const worstFirst: readonly Health[] = ['stopped', 'failing', 'waiting', 'ok', 'quiet']

/** The worst health of some channels, and how many have it; undefined without channels. */
export function worstHealth(channels: readonly Pick<ChannelStatus, 'health'>[]) {
  const health = worstFirst.find((each) => channels.some((channel) => channel.health === each))
  return health && { health, count: channels.filter((channel) => channel.health === health).length }
}
