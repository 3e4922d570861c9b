/** Options of tar with which the same files give the same archive: sorted, owned by root, and as old as the commit. */
export function fixedArchive(time: number): string[] {
  return ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${time}`]
}
