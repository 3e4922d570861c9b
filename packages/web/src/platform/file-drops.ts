const takers = 'input, textarea, [contenteditable]'

/** What is dropped outside a field would open in place of the app. */
export function keepDropsHere(): void {
  for (const type of ['dragover', 'drop'] as const)
    document.addEventListener(type, (event) => {
      const isField = (event.target as Element).closest(takers) !== null
      if (!isField || (hasFiles(event) && !isFileField(event))) event.preventDefault()
    })
}

export function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true
}

/** It takes files by itself. */
export function isFileField({ target }: Event): boolean {
  return (target as Element).matches('input[type=file]')
}
