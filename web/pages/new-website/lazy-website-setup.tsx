import { lazyPart } from '../../components/lazy-page.tsx'

/** The setup steps of a website. Their script is loaded when they are shown, because users see them only for new websites. */
export const WebsiteSetup = lazyPart(() => import('./website-setup.tsx'), '36rem')
