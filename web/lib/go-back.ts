/** To where the reader came from, if that was here; else to a page of our choice. */
export function goBack(otherwise: () => void): void {
  // Not in every browser yet, and unknown to the types of some.
  const { navigation } = window as { navigation?: { canGoBack: boolean } }
  if (navigation?.canGoBack) history.back()
  else otherwise()
}
