/** Drafts, unsaved edits and recent emoji in the local storage, with the id of the user who wrote them. */
const keptText = /^parley (?:draft|edit|emoji) (\d+) /

/** Removes what was typed here, except by one user. Drafts that have reached the server stay there. */
export function deleteTexts(exceptOf?: string): void {
  for (const name of Object.keys(localStorage)) {
    const userId = keptText.exec(name)?.[1]
    if (userId !== undefined && userId !== exceptOf) localStorage.removeItem(name)
  }
}
