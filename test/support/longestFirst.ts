import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a minute; then those that start services, browsers or database servers. Started last, they would run alone. */
const LONG = [
  /\/(accessibility|killNine|takeover|readModels)\.system\./,
  /\.system\.|\/test\/badInput\/|\/readModels\/|\/test\/proxy\/|\.e2e\./,
];

/** Runs long files first, also on a clone without results of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file))) return sorted;
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((names) => names.test(moduleId));
  return rank === -1 ? LONG.length : rank;
}
