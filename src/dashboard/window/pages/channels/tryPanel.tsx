import type { Script } from '#contract/script.ts'
import type { ChannelDraft, ProviderRow } from '#dashboard/form/channelForm.ts'

/** Until the server takes sealed entries for a preview there is nothing that could be tried without sending a secret. */
export function TryPanel(_: { tagId: string; provider: ProviderRow; draft: ChannelDraft; script?: Script }) {
  return null
}
