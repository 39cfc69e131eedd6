import { Ellipsis, FlaskConical, FlaskConicalOff, Plus } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { ButtonLink } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { lazyPart } from '../components/lazy-page.tsx'
import { Menu, MenuItem } from '../components/menu.tsx'
import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { formatNumber } from '../lib/format.ts'
import { loadSampleShop, removeSampleShop } from '../lib/lazy-sample-shop.ts'
import { useOverviewInTwoSteps } from '../lib/queries.ts'
import { can } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import { useLive } from '../lib/use-live.ts'
import { OverviewList } from './overview/list.tsx'
import { useRowLayout } from './overview/row-layout.ts'
import { computeFigures } from './overview/summary.ts'
import type { WelcomeProps } from './overview/welcome.tsx'
import './overview/overview.css'
import './overview/overview-cards.css'

const NothingYet = lazyPart(() => import('./overview/nothing-yet.tsx'))
// Users see it only until they have added something.
const Welcome = lazyPart<WelcomeProps>(() => import('./overview/welcome.tsx'), '28rem')

export function OverviewPage() {
  const { data, error, refetch } = useOverviewInTwoSteps()
  // After the first website is added, the welcome page stays open to show the tracking snippet of that website.
  const [addedWebsite, setAddedWebsite] = useState<WebsiteRecord>()
  const figures = useMemo(() => data && computeFigures(data), [data])
  const isEmpty = data?.websites.length === 0 && data.monitors.length === 0
  const isWelcomeShown = addedWebsite !== undefined || (isEmpty && can('edit'))
  const name = can('browse') ? 'Overview' : 'Websites'
  const title = figures && figures.down > 0 ? `${formatNumber(figures.down)} down` : name

  return (
    <>
      {/* LiveUpdates connects before the first response, so that no change is missed. After a website is added, AddedWebsite connects instead. */}
      {addedWebsite === undefined && <LiveUpdates />}
      {isWelcomeShown ? (
        <Page title="Welcome">
          <Welcome addedWebsite={addedWebsite} onAdded={setAddedWebsite} />
        </Page>
      ) : (
        <Page
          title={title}
          heading={name}
          actions={<Actions hasSample={data?.websites.some(({ is_sample }) => is_sample) ?? false} />}
        >
          {isEmpty ? (
            <NothingYet />
          ) : data && figures ? (
            <>
              {error && <ErrorState error={error} retry={() => void refetch()} />}
              <OverviewList overview={data} figures={figures} />
            </>
          ) : error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <OverviewSkeleton />
          )}
        </Page>
      )}
    </>
  )
}

function LiveUpdates() {
  useLive()
  return null
}

function Actions({ hasSample }: { hasSample: boolean }) {
  return (
    <>
      <ButtonLink to="/websites/new" needs="edit">
        <Icon icon={Plus} />
        Add website
      </ButtonLink>
      <ButtonLink to="/monitors/new" needs="edit">
        <Icon icon={Plus} />
        Add monitor
      </ButtonLink>
      <Menu needs="edit" label={<Icon icon={Ellipsis} />} name="More actions" align="end" hasChevron={false}>
        {hasSample ? (
          <MenuItem icon={FlaskConicalOff} onSelect={() => void removeSampleShop().catch(showProblem)}>
            Remove sample shop
          </MenuItem>
        ) : (
          <MenuItem icon={FlaskConical} onSelect={() => void loadSampleShop().catch(showProblem)}>
            Load sample shop
          </MenuItem>
        )}
      </Menu>
    </>
  )
}

/** Enough rows to fill most screens. */
const SKELETON_ROWS = 12

function OverviewSkeleton() {
  const { placeholderHeight } = useRowLayout()
  return (
    <Loading what="websites and monitors">
      <Skeleton height="5.5rem" />
      <Skeleton height="2.35rem" />
      <Skeleton height={`${placeholderHeight * SKELETON_ROWS}px`} />
    </Loading>
  )
}
