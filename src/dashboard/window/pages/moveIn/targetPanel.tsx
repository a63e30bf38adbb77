import { Download } from 'lucide'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { filesOf } from '#dashboard/form/moveIn.ts'
import { domainOf } from '#dashboard/form/tagForm.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import { useHere, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { saveFile } from '../../parts/saveFile.ts'
import { ProblemLine } from '../../parts/view.tsx'
import type { MoveState } from './useMove.ts'

type MoveProps = { move: MoveState; providers: readonly ProviderRow[] }

const saveJson = (value: unknown, name: string) =>
  saveFile(new Blob([`${JSON.stringify(value, undefined, 2)}\n`], { type: 'application/json' }), name)

/** The same move as files for the command line. */
function FileButton({ move: { target, channels, sources, action }, providers }: MoveProps) {
  const save = () =>
    action.run(async (api) => {
      const saved = target.tagId === '' ? undefined : await api.readTag({ tagId: target.tagId })
      const { name, domain } = saved ?? target
      const all = [...new Set([...(saved?.sources ?? []), ...sources])]
      const { configuration, secrets } = filesOf(channels, { name, domain, sources: all }, providers)
      saveJson(configuration, 'aglet.json')
      if (Object.keys(secrets).length > 0) saveJson(secrets, 'secrets.json')
    })
  return (
    <Button icon={Download} onClick={() => void save()}>
      {words.saveFiles}
    </Button>
  )
}

/** The tag that gets the channels, and the button for the plan. */
export function TargetPanel({ move, providers }: MoveProps) {
  const { me } = useHere()
  const { why } = useMay('tag:write', 'script:write', 'secret:write')
  const { target, issues, action } = move
  const wrong = Object.values(issues).reduce((sum, fields) => sum + Object.keys(fields).length, 0)
  const { name, domain, tag, ...others } = issues[''] ?? {}
  const tags = me.tags.map(({ tagId, name: text }) => [tagId, text] as const)
  return (
    <Panel title={words.targetTitle} note={target.tagId !== '' && words.targetNote}>
      <SelectField
        label={words.target}
        value={target.tagId}
        options={[['', words.newTag], ...tags]}
        onChange={(tagId) => move.changeTarget({ tagId })}
      />
      {target.tagId === '' && (
        <>
          <TextField
            label={words.name}
            issue={name}
            required
            value={target.name}
            onChange={(text) => move.changeTarget({ name: text })}
          />
          <TextField
            label={words.domain}
            help={words.domainHint}
            issue={domain}
            required
            value={target.domain}
            onChange={(text) => move.changeTarget({ domain: text })}
            onBlur={() =>
              target.domain !== domainOf(target.domain) && move.changeTarget({ domain: domainOf(target.domain) })
            }
          />
        </>
      )}
      {wrong > 0 && (
        <p class="fieldIssue" role="alert">
          {Object.values(others)[0] ?? tag ?? words.planned(wrong)}
        </p>
      )}
      {wrong === 0 && <ProblemLine error={action.error} />}
      <div class="row">
        <Button look="primary" why={why} isBusy={action.isBusy} onClick={() => void move.plan()}>
          {words.plan}
        </Button>
        <FileButton move={move} providers={providers} />
      </div>
      <p class="hint">{words.filesNote}</p>
    </Panel>
  )
}
