"""Tests of two systems on the same topics. All work on z [P, T], the differences of P pairs, at once."""

from __future__ import annotations

import numpy as np

from ireval.stats.effect import standard_errors, t_half_widths, t_values
from ireval.stats.pairs import differences, paired_bootstrap, smallest_difference
from ireval.stats.proportion import sign_test_p
from ireval.stats.registry import PairOutcome, Resampling, SignificanceTest, significance_test
from ireval.stats.resample import Bools, Doubles, Ints, drawn_signs, exact_parts, exact_sums, fitting_batch, in_threads

EXACT_TOPICS = 15
"""Up to so many topics that differ, the randomisation test looks at all 2^n assignments of signs."""
EXACT_RANKS = 50
"""Up to so many topics that differ, Wilcoxon's test knows the whole distribution of its rank sum."""

_BLOCK_CELLS = 500_000
_T_INTERVAL = "Student's t"


@significance_test(
    SignificanceTest(
        "t",
        "paired t-test",
        kind="pair",
        hypothesis="the mean difference of the two systems is 0",
        assumes="topics are a random sample and the mean of their differences is about normally distributed",
        interval=_T_INTERVAL,
        cite="Student, The Probable Error of a Mean, Biometrika 6 (1908)",
    )
)
def paired_t(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """Two-sided; a constant difference has an infinite t and p 0, no difference at all t 0 and p 1."""
    from scipy.special import stdtr

    z = differences(values, first, second)
    t = t_values(z, smallest_difference(values))
    p = np.minimum(1.0, 2.0 * stdtr(z.shape[1] - 1, -np.abs(t)))
    return PairOutcome(p, statistic=t, statistic_name="t", half=t_half_widths(z, how.alpha))


@significance_test(
    SignificanceTest(
        "sign",
        "sign test",
        kind="pair",
        hypothesis="either system is as likely to win a topic",
        assumes="topics are a random sample; only who wins counts, ties are left out",
        interval=_T_INTERVAL,
        cite="Conover, Practical Nonparametric Statistics (1999)",
    )
)
def sign(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """Two-sided, from the binomial distribution; the statistic is the smaller number of wins."""
    z = differences(values, first, second)
    wins, losses = np.count_nonzero(z > 0, axis=1), np.count_nonzero(z < 0, axis=1)
    fewer = np.minimum(wins, losses).astype(np.float64)
    return PairOutcome(sign_test_p(wins, losses), statistic=fewer, statistic_name="fewer wins")


@significance_test(
    SignificanceTest(
        "wilcoxon",
        "Wilcoxon signed-rank test",
        kind="pair",
        hypothesis="differences are symmetric around 0",
        assumes="topics are a random sample, their differences symmetrically distributed; ties are left out",
        interval=_T_INTERVAL,
        cite="Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1 (1945)",
    )
)
def wilcoxon(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """Two-sided; the statistic W is the smaller rank sum.

    The exact distribution, also with tied ranks, up to EXACT_RANKS topics that differ; then the normal one.
    """
    z = differences(values, first, second)
    smallest = smallest_difference(values)
    p, statistic = np.ones(len(z)), np.zeros(len(z))
    known: dict[bytes, Doubles] = {}
    for row, own in enumerate(z):
        own = own[own != 0]
        ranks = _double_ranks(np.abs(own), smallest)
        positive = int(ranks[own > 0].sum())
        smaller = min(positive, int(ranks.sum()) - positive)
        statistic[row] = smaller / 2
        if 0 < len(own) <= EXACT_RANKS:
            key = np.sort(ranks).tobytes()
            if key not in known:
                known[key] = _rank_sum_distribution(ranks)
            p[row] = min(1.0, 2.0 * known[key][smaller])
        elif len(own):
            p[row] = _normal_rank_sum(ranks, smaller)
    return PairOutcome(p, statistic=statistic, statistic_name="W (smaller rank sum)")


def _double_ranks(sizes: Doubles, smallest: float) -> Ints:
    """Twice the rank of each size, from 1 on; sizes that are equal share the mean of their ranks; [n]."""
    order = np.argsort(sizes, kind="stable")
    group = np.cumsum(np.diff(sizes[order], prepend=sizes[order[:1]]) > smallest)
    members = np.bincount(group) if len(sizes) else np.zeros(0, np.int64)
    last = np.cumsum(members)
    ranks = np.empty(len(sizes), np.int64)
    ranks[order] = (2 * last - members + 1)[group]
    return ranks


def _rank_sum_distribution(double_ranks: Ints) -> Doubles:
    """Chance that the doubled sum of the ranks with positive sign is at most 0, 1, 2, ..."""
    ways = np.zeros(int(double_ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in double_ranks.tolist():
        ways[rank:] = ways[rank:] + ways[:-rank]  # numbers below 2^50, so exact
    found: Doubles = np.cumsum(ways) / 2.0 ** len(double_ranks)
    return found


def _normal_rank_sum(double_ranks: Ints, smaller: int) -> float:
    """p by the normal distribution, with the variance of tied ranks."""
    from scipy.special import ndtr

    ranks = double_ranks / 2.0
    deviation = float(np.sqrt((ranks * ranks).sum() / 4.0))
    return min(1.0, 2.0 * float(ndtr((smaller / 2.0 - ranks.sum() / 2.0) / deviation)))


@significance_test(
    SignificanceTest(
        "bootstrap",
        "paired bootstrap test (studentised)",
        kind="pair",
        resamples=True,
        hypothesis="the mean difference of the two systems is 0",
        assumes="topics are a random sample of their kind",
        interval="bootstrap t, from the same resamples",
        cite="Sakai, Metrics, Statistics, Tests (2014), Fig. 11 and 12",
    )
)
def bootstrap(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """Shift method: the differences minus their mean are resampled. The same resamples for all pairs."""
    z = differences(values, first, second)
    found = paired_bootstrap(
        values,
        how.samples,
        how.seed,
        pairs=(first, second),
        alpha=how.alpha,
        batch=how.batch,
        jobs=how.jobs,
        progress=how.progress,
    )
    errors = standard_errors(z)
    assert found.critical is not None
    return PairOutcome(
        found.asl,
        found.count,
        np.full(len(first), how.samples),
        statistic=t_values(z, smallest_difference(values)),
        statistic_name="t",
        half=np.where(errors > 0, found.critical, 0.0) * np.where(errors > 0, errors, 1.0),
    )


@significance_test(
    SignificanceTest(
        "randomisation",
        "randomisation test",
        kind="pair",
        resamples=True,
        hypothesis="the two systems are alike, so that each topic's scores could be exchanged",
        assumes="nothing about how topics were chosen",
        interval=_T_INTERVAL,
        cite="Smucker, Allan & Carterette, A Comparison of Statistical Significance Tests, CIKM 2007",
    )
)
def randomisation(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """Signs of the differences are flipped: in all ways where few topics differ, else at random; |mean| is compared."""
    z = differences(values, first, second)
    slack = smallest_difference(values) * z.shape[1]
    differing = np.count_nonzero(z, axis=1)
    few = differing <= EXACT_TOPICS
    count, samples = np.zeros(len(z), np.int64), np.full(len(z), how.samples)
    samples[few] = 2 ** differing[few]
    for n in np.unique(differing[few]).tolist():
        rows = np.flatnonzero(differing == n)
        own = z[rows][z[rows] != 0].reshape(len(rows), n)
        count[rows] = flipped_counts(own, all_signs(n), slack, how)
    rows = np.flatnonzero(~few)
    if len(rows):
        count[rows] = flipped_counts(z[rows], drawn_signs(z.shape[1], how.samples, how.seed), slack, how)
    return PairOutcome(count / samples, count, samples, bool(few.all()))


def all_signs(topics: int) -> Bools:
    """Every assignment of signs; [n, 2^n]."""
    found: Bools = (np.arange(2**topics) >> np.arange(topics)[:, None]) & 1 == 1
    return found


def flipped_counts(z: Doubles, signs: Bools, slack: float, how: Resampling) -> Ints:
    """How many of the assignments of signs [n, B] give a sum of z [P, n] that is not closer to 0; [P]."""
    topics, samples = len(signs), int(signs.shape[1])
    batch = min(how.batch or fitting_batch(topics), samples)
    size = max(1, _BLOCK_CELLS // batch)
    count = np.zeros(len(z), np.int64)

    def test(start: int) -> int:
        rows = slice(start, start + size)
        parts = exact_parts(z[rows], max(1, topics))
        limit = np.abs(np.cumsum(z[rows], axis=1)[:, -1:]) - slack if topics else np.zeros((len(z[rows]), 1))
        for begin in range(0, samples, batch):
            sums = exact_sums(parts, np.where(signs[:, begin : begin + batch], 1.0, -1.0))
            count[rows] += np.count_nonzero(np.abs(sums) >= limit, axis=1)
        return min(start + size, len(z))

    for done in in_threads(test, range(0, len(z), size), how.jobs):
        if how.progress is not None:
            how.progress(done, len(z))
    return count
