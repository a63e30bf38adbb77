import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Skeleton } from '../../parts/view.tsx'
import type { RulesPanelProps } from './rulesPanel.tsx'

/** The rules of the form. Their builder is loaded after the form: most channels have none. */
export function LazyRules(props: RulesPanelProps) {
  const [Loaded, setLoaded] = useState<FunctionComponent<RulesPanelProps>>()
  useEffect(() => {
    void import('./rulesPanel.tsx').then(({ RulesPanel }) => setLoaded(() => RulesPanel))
  }, [])
  return Loaded ? <Loaded {...props} /> : <Skeleton rows={3} />
}
