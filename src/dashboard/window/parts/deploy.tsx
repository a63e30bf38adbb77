import { Rocket, Undo2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { hookErrorsOf } from '#dashboard/api/problem.ts'
import { deploymentWords } from '#dashboard/words/en/deployments.ts'
import { notLiveWords as words } from '#dashboard/words/en/notLive.ts'
import { useAction } from '../data/action.ts'
import { deployedReads, mayReadDraft } from '../data/draft.ts'
import { useHere, useMay, useRead } from '../data/here.tsx'
import { Button, type ButtonLook } from './button.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'

/** What the hooks of the team said against a deployment. */
export function HookErrors({ of }: { of: unknown }) {
  const errors = hookErrorsOf(of)
  if (errors.length === 0) return null
  return (
    <div class="warnings" role="alert">
      <p>{deploymentWords.hookErrors}</p>
      <ul>
        {errors.map(({ url, message }) => (
          <li key={url}>
            <bdi>{url}</bdi>: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}

type AskedProps = { title: string; label: string; look?: 'danger' | 'primary'; children: ComponentChildren }
type Asked = { tagId: string; isSmall?: boolean; look?: ButtonLook }

/** Asks with the whole list of what changes: a deployment publishes everything that is saved. */
function AskDialog({
  tagId,
  call,
  onClose,
  ...asked
}: AskedProps & { tagId: string; call: (api: Client) => Promise<unknown>; onClose: () => void }) {
  const { me } = useHere()
  const action = useAction(...deployedReads)
  const isEnabled = mayReadDraft(me.scopes)
  const draft = useRead(['draft', tagId], (api: Client) => api.readDraft({ tagId }), { staleMs: 0, isEnabled })
  const { settings = [], scripts = [] } = draft.data?.values ?? {}
  const confirm = async () => {
    if (await action.run(async (api) => (await call(api)) ?? true)) onClose()
  }
  return (
    <ConfirmDialog {...asked} action={action} onConfirm={confirm} onClose={onClose}>
      {asked.children}
      {draft.data && (
        <p>
          <b>
            {deploymentWords.summary(
              settings.map(({ name }) => name),
              scripts,
            ) || words.nothing}
          </b>
        </p>
      )}
      <HookErrors of={action.error} />
    </ConfirmDialog>
  )
}

/** Makes everything live that is saved, after a question. */
export function DeployButton({ tagId, isSmall = false, look = 'primary' }: Asked) {
  const { why } = useMay('deploy')
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button look={look} icon={Rocket} isSmall={isSmall} why={why} onClick={() => setAsking(true)}>
        {words.deploy}
      </Button>
      {isAsking && (
        <AskDialog
          tagId={tagId}
          title={words.deployTitle}
          label={words.deploy}
          look="primary"
          call={(api) => api.deployTag({ tagId })}
          onClose={() => setAsking(false)}
        >
          <p>{words.deployText}</p>
        </AskDialog>
      )}
    </>
  )
}

/** Sets what is saved back to what is live: of one channel, or of the tag and all its channels. */
export function DiscardButton({ tagId, scriptId, isSmall = false }: Asked & { scriptId?: string | undefined }) {
  const { why } = useMay('tag:write', 'script:write')
  const [isAsking, setAsking] = useState(false)
  const one = scriptId === undefined ? {} : { scriptId }
  return (
    <>
      <Button icon={Undo2} isSmall={isSmall} why={why} onClick={() => setAsking(true)}>
        {words.discard}
      </Button>
      {isAsking && (
        <AskDialog
          tagId={tagId}
          title={words.discardTitle}
          label={words.discard}
          call={(api) => api.discardDraft({ tagId, ...one })}
          onClose={() => setAsking(false)}
        >
          <p>{words.discardText}</p>
        </AskDialog>
      )}
    </>
  )
}
