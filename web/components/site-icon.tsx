/** The icon of a website of the user. */
import { Monogram } from './monogram.tsx'

export function SiteIcon({ website }: { website: { id: number; domain: string } }) {
  return <Monogram name={website.domain} />
}
