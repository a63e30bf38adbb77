import type { AdapterName } from '#contract/adapterNames.ts'
import { linesOf, switchAdapter } from '#dashboard/form/tagForm.ts'
import { settingsWords as words } from '#dashboard/words/en/settings.ts'
import { CheckRow, SelectField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import type { TagFormState } from './useTagForm.ts'

const names = Object.keys(words.adapters) as AdapterName[]

/** The adapters that pages load with the SDK, and what they do where a page has several. */
export function AdapterFields({ form }: { form: TagFormState }) {
  const chosen = linesOf(form.draft.adapters)
  const { primaryAdapter } = form.draft
  const offered = names.filter((name) => chosen.includes(name) || name === primaryAdapter)
  return (
    <Panel title={words.labels.adapters} note={words.adaptersHint}>
      {names.map((name) => (
        <CheckRow
          key={name}
          label={words.adapters[name]}
          name={`adapters.${name}`}
          value={chosen.includes(name)}
          onChange={(isOn) => form.change(switchAdapter(form.draft, name, isOn))}
        />
      ))}
      {form.issues.adapters && <p class="fieldIssue">{form.issues.adapters}</p>}
      {chosen.length > 0 && (
        <>
          <SelectField
            {...form.field('primaryAdapter')}
            label={words.labels.primaryAdapter}
            help={words.primaryHint}
            options={[['none', words.noPrimary], ...offered.map((name) => [name, words.adapters[name]] as const)]}
          />
          <CheckRow {...form.field('passEventId')} label={words.passEventIdText} />
        </>
      )}
    </Panel>
  )
}
