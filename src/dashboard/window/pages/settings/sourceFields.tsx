import type { SourceName } from '#contract/sourceNames.ts'
import { linesOf, switchSource } from '#dashboard/form/tagForm.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { CheckRow } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { TagFormState } from './useTagForm.ts'

const names = Object.keys(words.sources) as SourceName[]

/** The protocols of other products that the tag URL speaks. */
export function SourceFields({ form }: { form: TagFormState }) {
  const chosen = linesOf(form.draft.sources)
  return (
    <Panel title={words.labels.sources} note={words.sourcesHint}>
      {names.map((name) => (
        <CheckRow
          key={name}
          label={words.sources[name]}
          name={`sources.${name}`}
          value={chosen.includes(name)}
          onChange={(isOn) => form.change({ sources: switchSource(form.draft.sources, name, isOn) })}
        />
      ))}
      {form.issues.sources && <p class="fieldIssue">{form.issues.sources}</p>}
    </Panel>
  )
}
