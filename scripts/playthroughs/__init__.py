"""Games of the planner in the model of Red's world, from many legal moments, and the page that tells of them."""
