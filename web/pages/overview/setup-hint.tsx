/** The setup steps of the user's own websites and monitors, and a notice about sample data. */
import { SampleNotice } from '../../components/sample-data.tsx'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { can } from '../../lib/team.ts'
import { SetupList } from '../new-website/setup-list.tsx'

interface SetupHintProps {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
}

export function SetupHint({ websites, monitors }: SetupHintProps) {
  if (!can('edit')) return null
  const ownWebsites = websites.filter(({ is_sample }) => !is_sample)
  return (
    <>
      {websites.some(({ is_sample }) => is_sample) && <SampleNotice />}
      <SetupList
        // A website without visits comes first, because its setup is not finished.
        website={ownWebsites.find(({ has_traffic }) => !has_traffic) ?? ownWebsites[0]}
        hasVisit={ownWebsites.some(({ has_traffic }) => has_traffic)}
        // Any monitor completes the step, even one that belongs to no website.
        hasMonitor={monitors.some(({ is_sample }) => !is_sample)}
      />
    </>
  )
}
