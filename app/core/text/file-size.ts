/** Formats a file's size, with a no-break space: «240 KB», «1.5 MB». */
export const formatFileSize = (bytes: number): string =>
  bytes < 1_048_576 ? `${Math.max(1, Math.round(bytes / 1024))}\u00a0KB` : `${(bytes / 1_048_576).toFixed(1)}\u00a0MB`
