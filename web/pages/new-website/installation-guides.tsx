/** Explains where to add the snippet, for the product that the website is built with. */
import { useState } from 'preact/hooks'
import { lazyPart } from '../../components/lazy-page.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { type GuideKey, guideKeys, guideLabels } from './guides.ts'
import './guides.css'

const loadSteps = () => import('./guide-steps.tsx')
/** The steps are in a file of their own, because most users never open them. */
const GuideSteps = lazyPart(loadSteps, '8rem')

export function InstallationGuides({ domain }: { domain: string }) {
  const [guide, setGuide] = useState<GuideKey>('html')
  return (
    // Loading starts when the pointer is near the buttons, so that the steps are there with the click.
    <div class="guides" onPointerEnter={() => void loadSteps().catch(() => {})}>
      <SegmentedControl
        label="How is your website built?"
        choices={guideKeys.map((value) => ({ value, label: guideLabels[value] }))}
        value={guide}
        onValue={setGuide}
      />
      {guide === 'html' ? (
        <p class="muted small">
          Paste it before <code>{'</head>'}</code> in the template that all pages share. Most website builders have a
          setting for custom code in the header.
        </p>
      ) : (
        <GuideSteps guide={guide} domain={domain} />
      )}
    </div>
  )
}
