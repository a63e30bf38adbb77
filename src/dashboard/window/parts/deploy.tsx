import { Rocket, Undo2 } from 'lucide'
import type { Client } from '#contract/client.ts'
import { deploymentWords } from '#dashboard/words/en/deployments.ts'
import { notLiveWords as words } from '#dashboard/words/en/notLive.ts'
import { deployedReads, mayReadDraft } from '../data/draft.ts'
import { useHere, useMay, useRead } from '../data/here.tsx'
import type { ButtonVariant } from './button.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'
import { DialogButton } from './formDialog.tsx'

type AskProps = {
  tagId: string
  title: string
  text: string
  label: string
  variant?: 'danger' | 'primary'
  call: (api: Client) => Promise<unknown>
  onClose: () => void
}

/** Asks with the full list of changes: a deployment publishes everything that is saved. */
function AskDialog({ tagId, text, ...asked }: AskProps) {
  const { me } = useHere()
  const isEnabled = mayReadDraft(me.scopes)
  const draft = useRead(['draft', tagId], (api) => api.readDraft({ tagId }), { staleMs: 0, isEnabled })
  const { settings = [], scripts = [] } = draft.data?.values ?? {}
  const names = settings.map(({ name }) => name)
  return (
    <ConfirmDialog {...asked} changes={deployedReads}>
      <p>{text}</p>
      {draft.data && (
        <p>
          <b>{deploymentWords.summary(names, scripts) || words.nothing}</b>
        </p>
      )}
    </ConfirmDialog>
  )
}

type OfTag = { tagId: string; isSmall?: boolean }

/** Makes everything that is saved live, after confirmation. */
export function DeployButton({ tagId, isSmall = false, variant = 'primary' }: OfTag & { variant?: ButtonVariant }) {
  const { why } = useMay('deploy')
  const asked = {
    tagId,
    title: words.deployTitle,
    text: words.deployText,
    label: words.deploy,
    variant: 'primary',
  } as const
  return (
    <DialogButton
      variant={variant}
      icon={Rocket}
      isSmall={isSmall}
      why={why}
      dialog={(close) => <AskDialog {...asked} call={(api) => api.deployTag({ tagId })} onClose={close} />}
    >
      {words.deploy}
    </DialogButton>
  )
}

/** Resets saved settings to the live ones: of one channel, or of the tag and all its channels. */
export function DiscardButton({ tagId, scriptId, isSmall = false }: OfTag & { scriptId?: string | undefined }) {
  const { why } = useMay('tag:write', 'script:write')
  const asked = { tagId, title: words.discardTitle, text: words.discardText, label: words.discard }
  const discard = (api: Client) => api.discardDraft({ tagId, ...(scriptId !== undefined && { scriptId }) })
  return (
    <DialogButton
      icon={Undo2}
      isSmall={isSmall}
      why={why}
      dialog={(close) => <AskDialog {...asked} call={discard} onClose={close} />}
    >
      {words.discard}
    </DialogButton>
  )
}
